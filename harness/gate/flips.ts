/**
 * Which cases changed. A case is right when its mean over the repetitions is on the better side of a half, so a single bad run of four is
 * no flip. Fractional scores also move without crossing a half: those are `lower` and `higher`.
 */
import { metricInfo } from '../metrics/catalog.ts';
import { caseMean } from '../summary.ts';
import type { Pair } from './pairs.ts';

export interface Flips {
  stableRight: number;
  stableWrong: number;
  /** Ids, the largest change first. */
  broke: string[];
  mended: string[];
  /** Worse or better without crossing from right to wrong or back. */
  worse: string[];
  better: string[];
}

export function flipsOf(metric: string, pairs: readonly Pair[]): Flips {
  const flips: Flips = { stableRight: 0, stableWrong: 0, broke: [], mended: [], worse: [], better: [] };
  const sign = metricInfo(metric)?.direction === 'lower' ? -1 : 1;
  const changes = pairs.map((pair) => changeOf(pair, sign)).sort((a, b) => Math.abs(b.d) - Math.abs(a.d));
  for (const { id, d, before, after } of changes) {
    if (before && !after) flips.broke.push(id);
    else if (!before && after) flips.mended.push(id);
    else {
      if (before) flips.stableRight += 1;
      else flips.stableWrong += 1;
      if (d < 0) flips.worse.push(id);
      if (d > 0) flips.better.push(id);
    }
  }
  return flips;
}

function changeOf(pair: Pair, sign: number): { id: string; d: number; before: boolean; after: boolean } {
  const base = caseMean(pair.base) ?? 0;
  const now = caseMean(pair.new) ?? 0;
  const isRight = (x: number) => sign * (x - 0.5) > 0;
  return { id: pair.id, d: sign * (now - base), before: isRight(base), after: isRight(now) };
}
