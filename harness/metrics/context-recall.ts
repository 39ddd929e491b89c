/**
 * Context recall = |labelled files among the passages the model was shown| / |labelled files|. A question refused before the model, or
 * one that failed, showed it nothing: 0. Null for questions without labelled files. Smallest n: 1 labelled file.
 * Reference: recall of the final context, as in RAGAS (Es et al. 2023), by file instead of by sentence.
 */
import { isAnswerable } from '../schema.ts';
import type { Answered } from './answered.ts';
import { rankedFiles } from './labels.ts';
import { recallAt } from './recall.ts';

export function contextRecall(item: Answered): number | null {
  if (!isAnswerable(item.case)) return null;
  const shown = rankedFiles(
    item.case,
    item.shown.map((source) => source.source),
  );
  return recallAt(shown.length, shown, new Set(item.case.files));
}
