/**
 * Wilson score interval of a proportion.
 *   centre = (p + z^2/2n) / (1 + z^2/n),  half = z sqrt(p(1-p)/n + z^2/4n^2) / (1 + z^2/n)
 * Wilson 1927; Brown, Cai, DasGupta 2001. Smallest n: 1 (n = 0 gives [0, 1]).
 */
import { normalQuantile } from './distributions.ts';
import { CONFIDENCE } from './interval.ts';

/** `k` successes of `n`. Both may be fractional: a design effect shrinks n, a mean of scores in [0, 1] stands for k/n. */
export function wilson(k: number, n: number, confidence: number = CONFIDENCE): { low: number; high: number } {
  if (n <= 0) return { low: 0, high: 1 };
  const z = normalQuantile(1 - (1 - confidence) / 2);
  const p = k / n;
  const scale = 1 + (z * z) / n;
  const centre = (p + (z * z) / (2 * n)) / scale;
  const half = (z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))) / scale;
  // At the ends the formula gives 0 and 1 exactly, floating point does not.
  return { low: k <= 0 ? 0 : Math.max(0, centre - half), high: k >= n ? 1 : Math.min(1, centre + half) };
}
