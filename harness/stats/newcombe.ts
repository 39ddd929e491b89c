/**
 * Interval of the difference of two paired proportions: Newcombe 1998, method 10 (Wilson intervals joined, with the correlation of the
 * pairs, corrected downwards). Smallest n: 1.
 */
import { wilson } from './wilson.ts';

export interface PairedCells {
  /** Right on both sides. */
  both: number;
  /** Right only on the first side. */
  first: number;
  second: number;
  neither: number;
}

/** first - second. */
export function newcombePaired(
  cells: PairedCells,
  confidence?: number,
): { difference: number; low: number; high: number } {
  const { both, first, second, neither } = cells;
  const n = both + first + second + neither;
  if (n === 0) return { difference: 0, low: -1, high: 1 };
  const p1 = (both + first) / n;
  const p2 = (both + second) / n;
  const w1 = wilson(both + first, n, confidence);
  const w2 = wilson(both + second, n, confidence);
  const phi = correlation(cells, n);
  const join = (x: number, y: number) => Math.sqrt(Math.max(0, x * x - 2 * phi * x * y + y * y));
  const difference = p1 - p2;
  return {
    difference,
    low: difference - join(p1 - w1.low, w2.high - p2),
    high: difference + join(w1.high - p1, p2 - w2.low),
  };
}

function correlation({ both, first, second, neither }: PairedCells, n: number): number {
  const denominator = (both + first) * (second + neither) * (both + second) * (first + neither);
  if (denominator === 0) return 0;
  const cross = both * neither - first * second;
  const corrected = cross > n / 2 ? cross - n / 2 : Math.min(cross, 0);
  return corrected / Math.sqrt(denominator);
}
