/**
 * Krippendorff's alpha, nominal, two raters who both rated every item: 1 - Do/De, De = 2 n1 n0 / (N (N - 1)) over the N = 2n ratings.
 * Krippendorff 2011. Smallest n: 1, with both categories used (else null).
 */
import type { Table2x2 } from './kappa.ts';

export function krippendorffAlpha([[a, b], [c, d]]: Table2x2): number | null {
  const ratings = 2 * (a + b + c + d);
  const yes = 2 * a + b + c;
  const expected = (2 * yes * (ratings - yes)) / (ratings * (ratings - 1));
  if (ratings === 0 || expected === 0) return null;
  return 1 - (b + c) / (a + b + c + d) / expected;
}
