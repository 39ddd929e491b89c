/**
 * Bootstrap interval of a mean, over cases or over whole clusters of cases.
 * Percentile: the alpha/2 and 1-alpha/2 quantiles of the resampled means (Efron 1979).
 * BCa (Efron 1987): quantiles alpha' = Phi(z0 + (z0 + z)/(1 - a(z0 + z))), z0 = Phi^-1(P(t* < t) + P(t* = t)/2),
 *   a = sum(u^3) / (6 sum(u^2)^1.5), u the jackknife influences.
 * Smallest n: 10, and not all scores equal; `meanInterval` sees to both.
 */
import { type Clusters, groupClusters } from './clusters.ts';
import { normalCdf, normalQuantile } from './distributions.ts';
import { CONFIDENCE, type Interval } from './interval.ts';
import { quantileSorted } from './quantile.ts';
import { createRandom, DEFAULT_SEED } from './random.ts';

export interface BootstrapOptions {
  scores: readonly number[];
  /** One label per score; scores with the same label are drawn together. */
  clusters?: readonly string[] | undefined;
  resamples?: number;
  seed?: string;
  method?: 'bca' | 'percentile';
  confidence?: number;
}

export function bootstrapInterval(options: BootstrapOptions): Interval {
  const { scores, resamples = 10_000, seed = DEFAULT_SEED, method = 'bca', confidence = CONFIDENCE } = options;
  const clusters = groupClusters(scores, options.clusters);
  const means = resampledMeans(clusters, resamples, seed);
  const tail = (1 - confidence) / 2;
  const name = clusters.trivial ? '' : `, ${clusters.sums.length} clusters`;
  if (method === 'percentile') {
    return { low: quantileSorted(means, tail), high: quantileSorted(means, 1 - tail), method: `percentile${name}` };
  }
  const { z0, a } = bcaConstants(clusters, means);
  const level = (p: number) => {
    const z = z0 + normalQuantile(p);
    return normalCdf(z0 + z / (1 - a * z));
  };
  return {
    low: quantileSorted(means, level(tail)),
    high: quantileSorted(means, level(1 - tail)),
    method: `BCa${name}`,
  };
}

/** The bias correction and the acceleration of BCa. `means` are sorted. */
export function bcaConstants(clusters: Clusters, means: Float64Array): { z0: number; a: number } {
  const { total, size } = totals(clusters);
  const seen = total / size;
  // A mean summed in another order differs in the last digits; it is the same mean.
  const near = 1e-12 * Math.max(1, Math.abs(seen));
  let below = 0;
  let equal = 0;
  for (const value of means) {
    if (value < seen - near) below += 1;
    else if (value <= seen + near) equal += 1;
  }
  const half = 0.5 / means.length;
  const share = Math.min(Math.max((below + equal / 2) / means.length, half), 1 - half);
  return { z0: normalQuantile(share), a: acceleration(clusters, total, size) };
}

function acceleration({ sums, sizes }: Clusters, total: number, size: number): number {
  const without = Float64Array.from(sums, (sum, g) => (total - sum) / (size - (sizes[g] ?? 0)));
  const centre = without.reduce((s, x) => s + x, 0) / without.length;
  let squares = 0;
  let cubes = 0;
  for (const value of without) {
    const u = centre - value;
    squares += u * u;
    cubes += u * u * u;
  }
  return squares === 0 ? 0 : cubes / (6 * squares ** 1.5);
}

/** Sorted. */
export function resampledMeans({ sums, sizes, trivial }: Clusters, resamples: number, seed: string): Float64Array {
  const random = createRandom(seed);
  const count = sums.length;
  const means = new Float64Array(resamples);
  for (let r = 0; r < resamples; r++) {
    let sum = 0;
    let size = 0;
    for (let i = 0; i < count; i++) {
      const g = (random() * count) | 0;
      sum += sums[g] ?? 0;
      if (!trivial) size += sizes[g] ?? 0;
    }
    means[r] = sum / (trivial ? count : size);
  }
  return means.sort();
}

function totals({ sums, sizes }: Clusters): { total: number; size: number } {
  return { total: sums.reduce((s, x) => s + x, 0), size: sizes.reduce((s, x) => s + x, 0) };
}
