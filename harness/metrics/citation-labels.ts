/**
 * Citations against the labels, without a judge.
 * Precision = |cited passages that are of a labelled file or state a labelled fact| / |cited passages|: null when none is cited.
 * Recall = |labelled files of which a passage is cited| / |labelled files|: an answer that cites nothing scores 0.
 * Both only for answers to answerable questions. Smallest n: 1 cited passage, 1 labelled file.
 * Reference: citation precision and recall after Gao et al. 2023 (ALCE), with labels in place of a judge.
 */
import { isAnswerable } from '../schema.ts';
import type { Answered } from './answered.ts';
import { statesFact } from './facts.ts';
import { labelOf } from './labels.ts';

export function citationPrecision(item: Answered): number | null {
  const cited = citedSources(item);
  if (!item.spoke || !isAnswerable(item.case) || cited.length === 0) return null;
  const right = cited.filter(
    (source) =>
      item.case.files.includes(labelOf(item.case, source.source)) ||
      item.case.key_facts.some((fact) => statesFact(source.text, fact)),
  );
  return right.length / cited.length;
}

export function citationRecall(item: Answered): number | null {
  if (!item.spoke || !isAnswerable(item.case)) return null;
  const files = new Set(citedSources(item).map((source) => labelOf(item.case, source.source)));
  return item.case.files.filter((file) => files.has(file)).length / item.case.files.length;
}

function citedSources(item: Answered) {
  const numbers = new Set(item.claims.flatMap((claim) => claim.citations));
  return item.shown.filter((source) => numbers.has(source.n));
}
