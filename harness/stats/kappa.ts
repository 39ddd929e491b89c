/**
 * Cohen's kappa of two raters over two categories, with its asymptotic standard error.
 *   kappa = (po - pe)/(1 - pe); SE as Fleiss, Cohen, Everitt 1969 (what statsmodels' `cohens_kappa` gives).
 * Smallest n: 1, and both raters must not have used one same category only (then kappa is undefined: null).
 */
import { normalQuantile } from './distributions.ts';
import { CONFIDENCE } from './interval.ts';

/** Counts `[[both yes, first yes second no], [first no second yes, both no]]`. */
export type Table2x2 = readonly [readonly [number, number], readonly [number, number]];

export interface Kappa {
  kappa: number;
  se: number;
  low: number;
  high: number;
}

export function cohensKappa(table: Table2x2, confidence: number = CONFIDENCE): Kappa | null {
  const [[a, b], [c, d]] = table;
  const n = a + b + c + d;
  if (n === 0) return null;
  const rows = [(a + b) / n, (c + d) / n] as const;
  const cols = [(a + c) / n, (b + d) / n] as const;
  const chance = rows[0] * cols[0] + rows[1] * cols[1];
  if (chance === 1) return null;
  const kappa = ((a + d) / n - chance) / (1 - chance);
  const se = Math.sqrt(Math.max(0, kappaVariance(table, n, rows, cols, kappa, chance)));
  const half = normalQuantile(1 - (1 - confidence) / 2) * se;
  return { kappa, se, low: kappa - half, high: kappa + half };
}

function kappaVariance(
  table: Table2x2,
  n: number,
  rows: readonly [number, number],
  cols: readonly [number, number],
  kappa: number,
  chance: number,
): number {
  const [[a, b], [c, d]] = table;
  const agree = (p: number, r: number, s: number) => p * (1 - (r + s) * (1 - kappa)) ** 2;
  const onDiagonal = agree(a / n, rows[0], cols[0]) + agree(d / n, rows[1], cols[1]);
  const offDiagonal = (1 - kappa) ** 2 * ((b / n) * (cols[0] + rows[1]) ** 2 + (c / n) * (cols[1] + rows[0]) ** 2);
  const centre = (kappa - chance * (1 - kappa)) ** 2;
  return (onDiagonal + offDiagonal - centre) / ((1 - chance) ** 2 * n);
}
