/**
 * Interval of the mean of n equal scores in [0, 1], where a bootstrap would answer "certain".
 * At most a share q = 1 - (alpha/2)^(1/n) of the cases not seen can differ (the exact binomial bound for zero of n), and they may
 * lie anywhere: [v (1-q), v + (1-v) q]. For ones that is [(alpha/2)^(1/n), 1], for zeros its mirror (Clopper-Pearson).
 * Smallest n: 1.
 */
import { CONFIDENCE } from './interval.ts';

export function degenerateInterval(
  value: number,
  n: number,
  confidence: number = CONFIDENCE,
): { low: number; high: number } {
  const q = 1 - ((1 - confidence) / 2) ** (1 / n);
  return { low: value * (1 - q), high: value + (1 - value) * q };
}
