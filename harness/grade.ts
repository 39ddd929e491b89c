/** How good a judge is, from pairs whose label is known. */
import { z } from 'zod';
import type { Judge, Ruling } from './judges/judge.ts';
import { runPool } from './pool.ts';
import { cohensKappa, type Table2x2 } from './stats/kappa.ts';
import { sensitivitySpecificity } from './stats/sensitivity.ts';

export const pairSchema = z.object({
  id: z.coerce.string().optional(),
  context: z.string(),
  claim: z.string(),
  label: z.enum(['faithful', 'unfaithful']).optional(),
  group: z.string().optional(),
  split: z.string().optional(),
});
export type Pair = z.infer<typeof pairSchema>;

export interface GradedPair {
  pair: Pair;
  ruling: Ruling;
}

interface Estimate {
  value: number | null;
  low: number | null;
  high: number | null;
}

export interface Grade {
  /** Labelled pairs that were judged; unjudged ones are left out and counted. */
  n: number;
  unjudged: number;
  balancedAccuracy: Estimate;
  sensitivity: Estimate;
  specificity: Estimate;
  kappa: Estimate;
}

const NOTHING: Estimate = { value: null, low: null, high: null };

/** Pairs with the same context are asked one after the other, so that their prefix is evaluated once. */
export async function judgePairs(
  pairs: readonly Pair[],
  judge: Judge,
  signal: AbortSignal,
  onProgress?: (done: number, total: number) => void,
): Promise<GradedPair[]> {
  const graded: GradedPair[] = [];
  const order = new Map<string, number[]>();
  for (const [index, { context }] of pairs.entries()) order.set(context, [...(order.get(context) ?? []), index]);
  let done = 0;
  await runPool([...order.values()], judge.concurrency, signal, async (indexes) => {
    for (const index of indexes) {
      const pair = pairs[index];
      if (pair === undefined || signal.aborted) return;
      graded[index] = { pair, ruling: await judge.judge(pair, signal) };
      done += 1;
      onProgress?.(done, pairs.length);
    }
  });
  return graded.filter((item) => item !== undefined);
}

/** Balanced accuracy is the mean of sensitivity and specificity; its interval recovers their variances from their Wilson intervals. */
export function gradeOf(graded: readonly GradedPair[]): Grade {
  const labelled = graded.filter(({ pair }) => pair.label !== undefined);
  const judged = labelled.filter(({ ruling }) => ruling.status === 'judged');
  const table = tableOf(judged);
  const { sensitivity: sens, specificity: spec } = sensitivitySpecificity(table);
  // With one label only there is nothing to agree on.
  const kappa = sens.rate === null || spec.rate === null ? null : cohensKappa(table);
  return {
    n: judged.length,
    unjudged: labelled.length - judged.length,
    balancedAccuracy:
      sens.rate === null || spec.rate === null
        ? NOTHING
        : balanced({ ...sens, rate: sens.rate }, { ...spec, rate: spec.rate }),
    sensitivity: { value: sens.rate, low: sens.low, high: sens.high },
    specificity: { value: spec.rate, low: spec.low, high: spec.high },
    // The asymptotic interval knows no end of the scale.
    kappa:
      kappa === null ? NOTHING : { value: kappa.kappa, low: Math.max(-1, kappa.low), high: Math.min(1, kappa.high) },
  };
}

/** Each group's own grade, in order of names. */
export function gradeGroups(graded: readonly GradedPair[]): [string, Grade][] {
  const names = [...new Set(graded.flatMap(({ pair }) => pair.group ?? []))].sort();
  return names.map((name) => [name, gradeOf(graded.filter(({ pair }) => pair.group === name))]);
}

/** The threshold on the judge's score that separates these pairs best, and how well; null without scores of both labels. */
export function bestThreshold(graded: readonly GradedPair[]): { threshold: number; balancedAccuracy: number } | null {
  const scored = graded.flatMap(({ pair, ruling }) =>
    pair.label === undefined || ruling.score === null ? [] : [{ yes: pair.label === 'faithful', score: ruling.score }],
  );
  const positives = scored.filter((item) => item.yes).length;
  if (positives === 0 || positives === scored.length) return null;
  let best = { threshold: 0.5, balancedAccuracy: 0 };
  for (const threshold of [...new Set(scored.map((item) => item.score))].sort((a, b) => a - b)) {
    const hit = scored.filter((item) => item.yes && item.score >= threshold).length / positives;
    const miss = scored.filter((item) => !item.yes && item.score < threshold).length / (scored.length - positives);
    if ((hit + miss) / 2 > best.balancedAccuracy) best = { threshold, balancedAccuracy: (hit + miss) / 2 };
  }
  return best;
}

/** Rows: the judge says yes, no. Columns: the label says faithful, unfaithful. */
function tableOf(judged: readonly GradedPair[]): Table2x2 {
  const count = (yes: boolean, label: string) =>
    judged.filter(({ pair, ruling }) => ruling.supported === yes && pair.label === label).length;
  return [
    [count(true, 'faithful'), count(true, 'unfaithful')],
    [count(false, 'faithful'), count(false, 'unfaithful')],
  ];
}

type Known = { rate: number; low: number; high: number };

function balanced(a: Known, b: Known): Estimate {
  const value = (a.rate + b.rate) / 2;
  const down = Math.hypot(a.rate - a.low, b.rate - b.low) / 2;
  const up = Math.hypot(a.high - a.rate, b.high - b.rate) / 2;
  return { value, low: Math.max(0, value - down), high: Math.min(1, value + up) };
}
