/** Pairing two sides case by case for one metric, with higher being better. */
import { caseHash } from '../cases.ts';
import { metricInfo } from '../metrics/catalog.ts';
import { caseMean, clusterOf } from '../summary.ts';
import type { Side } from './sides.ts';

export interface Pair {
  id: string;
  cluster: string;
  /** Scores by repetition as the metric has them. */
  base: (number | null)[];
  new: (number | null)[];
}

export interface Paired {
  metric: string;
  pairs: Pair[];
  /** Cases that have a score on one side only. */
  unpaired: { id: string; scored: 'base' | 'new' }[];
}

/** A case of both sides must be the same case. */
export function pairCases(metric: string, base: Side, after: Side): Paired {
  const [left, right] = [base.scores.get(metric), after.scores.get(metric)];
  const pairs: Pair[] = [];
  const unpaired: Paired['unpaired'] = [];
  for (const id of new Set([...base.cases.keys(), ...after.cases.keys()])) {
    const [a, b] = [left?.get(id) ?? [], right?.get(id) ?? []];
    const [hasA, hasB] = [caseMean(a) !== null, caseMean(b) !== null];
    const item = base.cases.get(id) ?? after.cases.get(id);
    if (item === undefined || (!hasA && !hasB)) continue;
    if (hasA && hasB && sameCase(id, base, after)) pairs.push({ id, cluster: clusterOf(item), base: a, new: b });
    else unpaired.push({ id, scored: hasA ? 'base' : 'new' });
  }
  return { metric, pairs, unpaired };
}

/** Scores with their sign turned where lower is better. */
export function oriented(metric: string, runs: readonly (number | null)[]): (number | null)[] {
  const sign = metricInfo(metric)?.direction === 'lower' ? -1 : 1;
  return runs.map((x) => (x === null ? null : sign * x));
}

function sameCase(id: string, base: Side, after: Side): boolean {
  const [a, b] = [base.cases.get(id), after.cases.get(id)];
  return a !== undefined && b !== undefined && caseHash(a) === caseHash(b);
}
