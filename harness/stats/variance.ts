/**
 * Sample variances; empty and single samples have variance 0 here, never NaN.
 * The clustered standard error is the one of Miller 2024 (arXiv 2411.00640) with the G/(G-1) correction for few clusters.
 */
import { sampleVariance, mean as simpleMean } from 'simple-statistics';
import { groupClusters } from './clusters.ts';

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : simpleMean(mutable(values));
}

/** Unbiased: divided by n - 1. */
export function variance(values: readonly number[]): number {
  return values.length < 2 ? 0 : sampleVariance(mutable(values));
}

/** Variance of the mean when whole clusters were drawn: G/(G-1) sum_g (sum of deviations in g)^2 / n^2. */
export function clusteredVarianceOfMean(
  scores: readonly number[],
  labels: readonly string[],
): { variance: number; clusters: number } {
  const { sums, sizes } = groupClusters(scores, labels);
  const count = sums.length;
  if (count < 2) return { variance: 0, clusters: count };
  const centre = mean(scores);
  let total = 0;
  for (let g = 0; g < count; g++) total += ((sums[g] ?? 0) - (sizes[g] ?? 0) * centre) ** 2;
  return { variance: (count / (count - 1)) * (total / scores.length ** 2), clusters: count };
}

/** simple-statistics only reads, but its types do not say so. */
function mutable(values: readonly number[]): number[] {
  return values as number[];
}
