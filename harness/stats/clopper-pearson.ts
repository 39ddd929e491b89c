/**
 * Exact interval of a proportion: low = Beta(a/2; k, n-k+1), high = Beta(1-a/2; k+1, n-k). Never covers less than it says,
 * so it is the one to use where the claim is "never".
 * Clopper and Pearson 1934. Smallest n: 1 (n = 0 gives [0, 1]).
 */
import { betaQuantile } from './distributions.ts';
import { CONFIDENCE } from './interval.ts';

export function clopperPearson(k: number, n: number, confidence: number = CONFIDENCE): { low: number; high: number } {
  const tail = (1 - confidence) / 2;
  return {
    low: k <= 0 ? 0 : betaQuantile(tail, k, n - k + 1),
    high: k >= n ? 1 : betaQuantile(1 - tail, k + 1, n - k),
  };
}
