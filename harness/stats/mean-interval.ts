/**
 * The interval of a mean score in [0, 1], chosen by what the scores are:
 *   n < 10                    Wilson (to be shown with k/n, never to be gated on)
 *   0 or 1 each (`binary`)    Wilson; the percentile bootstrap covers .40 at n=5 and .87 at n=35 where 95% is claimed
 *   all equal                 exact bound: ten of ten is not certainty
 *   else                      BCa bootstrap, over whole clusters when cases share a source file
 * Wilson of clustered scores uses the effective n, n / design effect (Kish 1965), so it widens as the bootstrap does.
 */
import { bootstrapInterval } from './bootstrap.ts';
import { degenerateInterval } from './degenerate.ts';
import { CONFIDENCE, type Interval } from './interval.ts';
import { clusteredVarianceOfMean, mean, variance } from './variance.ts';
import { wilson } from './wilson.ts';

/** Fewer cases than this are shown and never gated on; fewer clusters are too few to be resampled. */
export const SMALLEST_N = 10;

export interface MeanIntervalOptions {
  clusters?: readonly string[] | undefined;
  /** Every score is 0 or 1, from a single run. */
  binary?: boolean;
  seed?: string;
  confidence?: number;
  resamples?: number;
}

export function meanInterval(scores: readonly number[], options: MeanIntervalOptions = {}): Interval {
  const { clusters, binary = false, confidence = CONFIDENCE } = options;
  const n = scores.length;
  const first = scores[0];
  if (first === undefined) return { low: 0, high: 1, method: 'no cases' };
  const allEqual = scores.every((score) => score === first);
  const groups = clusters === undefined ? n : new Set(clusters).size;
  if (n < SMALLEST_N || binary || (groups < SMALLEST_N && !allEqual)) return wilsonOfMean(scores, clusters, confidence);
  if (allEqual) return { ...degenerateInterval(first, n, confidence), method: 'exact, all equal' };
  return bootstrapInterval({ scores, ...options, method: 'bca' });
}

function wilsonOfMean(scores: readonly number[], labels: readonly string[] | undefined, confidence: number): Interval {
  const n = scores.length;
  const effect = labels === undefined ? 1 : designEffect(scores, labels);
  const size = n / effect;
  return { ...wilson(mean(scores) * size, size, confidence), method: effect > 1 ? 'Wilson, clustered' : 'Wilson' };
}

/** How many times larger clustering makes the variance of the mean; at least 1, at most the largest it can be. */
function designEffect(scores: readonly number[], labels: readonly string[]): number {
  const plain = variance(scores) / scores.length;
  const { variance: clustered, clusters } = clusteredVarianceOfMean(scores, labels);
  if (plain === 0 || clusters < 2) return clusters < 2 ? scores.length : 1;
  return Math.min(Math.max(clustered / plain, 1), scores.length);
}
