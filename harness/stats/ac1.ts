/**
 * Gwet's AC1 of two raters over two categories: (po - pe)/(1 - pe) with pe = 2 q (1 - q), q the mean share of "yes".
 * Unlike kappa it does not collapse when nearly every item is of one category. Gwet 2008. Smallest n: 1 (0 gives null).
 */
import type { Table2x2 } from './kappa.ts';

export function gwetAc1([[a, b], [c, d]]: Table2x2): number | null {
  const n = a + b + c + d;
  if (n === 0) return null;
  const yes = (2 * a + b + c) / (2 * n);
  const chance = 2 * yes * (1 - yes);
  return ((a + d) / n - chance) / (1 - chance);
}
