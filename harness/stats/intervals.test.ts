import { describe, expect, test } from 'vitest';
import { bcaConstants, bootstrapInterval, resampledMeans } from './bootstrap.ts';
import { clopperPearson } from './clopper-pearson.ts';
import { groupClusters } from './clusters.ts';
import { degenerateInterval } from './degenerate.ts';
import { betaQuantile, normalCdf, normalQuantile, tCdf, tQuantile } from './distributions.ts';
import { meanInterval } from './mean-interval.ts';
import { createNormal, createRandom } from './random.ts';
import { reference } from './testing/reference.ts';
import { clusteredVarianceOfMean, mean, variance } from './variance.ts';
import { wilson } from './wilson.ts';

const SMALL = [1, 1, 1, 0, 1, 0.5, 1, 1, 0.75, 1];
const EFRON = [3, 5, 7, 18, 43, 85, 91, 98, 100, 130, 230, 487];

describe('distributions equal scipy', () => {
  const near = (got: number, want: number) =>
    expect(Math.abs(got - want), `${got} for ${want}`).toBeLessThan(1e-7 * Math.max(1, Math.abs(want)));
  test('normal quantile', () => {
    for (const [p = 0, x = 0] of reference.distributions.normal_quantile) near(normalQuantile(p), x);
  });
  test('normal distribution', () => {
    for (const [x = 0, p = 0] of reference.distributions.normal_cdf) near(normalCdf(x), p);
  });
  test('t quantile', () => {
    for (const [p = 0, df = 0, x = 0] of reference.distributions.t_quantile) near(tQuantile(p, df), x);
  });
  test('t distribution', () => {
    for (const [x = 0, df = 0, p = 0] of reference.distributions.t_cdf) near(tCdf(x, df), p);
  });
  test('beta quantile', () => {
    for (const [p = 0, a = 0, b = 0, x = 0] of reference.distributions.beta_quantile) near(betaQuantile(p, a, b), x);
  });
});

describe('proportions', () => {
  test.each(reference.proportions)('$k of $n at $confidence equals statsmodels', (row) => {
    const w = wilson(row.k, row.n, row.confidence);
    const c = clopperPearson(row.k, row.n, row.confidence);
    expect(w.low).toBeCloseTo(row.wilson[0]!, 8);
    expect(w.high).toBeCloseTo(row.wilson[1]!, 8);
    expect(c.low).toBeCloseTo(row.clopper_pearson[0]!, 8);
    expect(c.high).toBeCloseTo(row.clopper_pearson[1]!, 8);
  });
  test('known values', () => {
    expect(wilson(10, 10).low).toBeCloseTo(0.722467, 6);
    expect(wilson(35, 35)).toEqual({ low: expect.closeTo(0.901099, 6), high: 1 });
    expect(wilson(4, 5)).toEqual({ low: expect.closeTo(0.375535, 6), high: expect.closeTo(0.963776, 6) });
    expect(clopperPearson(10, 10).low).toBeCloseTo(0.691503, 6);
    expect(clopperPearson(35, 35).low).toBeCloseTo(0.899968, 6);
    expect(clopperPearson(4, 5)).toEqual({ low: expect.closeTo(0.283582, 6), high: expect.closeTo(0.994949, 6) });
  });
  test('no cases say nothing', () => {
    expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
    expect(clopperPearson(0, 0)).toEqual({ low: 0, high: 1 });
  });
});

describe('bootstrap', () => {
  // A lattice of means has exact ends; a smooth sample moves with the draws, by about its own grain. With five down, one up the
  // exact P(mean <= -.45) is .0251: the percentile end is -.45 or its neighbour -.40, by the draw.
  const grain: Record<string, number> = { efron: 1.2, smooth: 0.002 };
  const percentileGrain: Record<string, number> = { ...grain, five_down_one_up: 0.050001 };
  test.each(reference.bootstraps)('$name equals scipy', ({ name, scores, percentile, bca, acceleration }) => {
    const near = (got: number, want: number, within = grain) =>
      expect(Math.abs(got - want)).toBeLessThanOrEqual(within[name] ?? 1e-6);
    const p = bootstrapInterval({ scores, method: 'percentile', resamples: 200_000 });
    near(p.low, percentile[0]!, percentileGrain);
    near(p.high, percentile[1]!, percentileGrain);
    const b = bootstrapInterval({ scores, method: 'bca', resamples: 200_000 });
    near(b.low, bca[0]!);
    near(b.high, bca[1]!);
    const clusters = groupClusters(scores);
    expect(bcaConstants(clusters, resampledMeans(clusters, 1000, 'x')).a).toBeCloseTo(acceleration, 9);
  });
  test.each([
    ['small', SMALL, [0.6, 1], [0.525, 0.975], 5e-5],
    ['41 ones, 4 zeros', [...new Array(41).fill(1), 0, 0, 0, 0], [0.8222, 0.9778], [0.8, 0.9778], 5e-5],
    ['twelve amounts', EFRON, [46.8, 190.9], [56.9, 226.6], 1],
    ['five down, one up', [-1, -1, -1, -1, -1, 1, ...new Array(14).fill(0)], [-0.45, 0], [-0.45, 0], 5e-5],
    ['five down', [-1, -1, -1, -1, -1, ...new Array(30).fill(0)], [-0.2571, -0.0286], [-0.2857, -0.0571], 5e-5],
  ] as [string, number[], [number, number], [number, number], number][])(
    'known values with 10 000 resamples: %s',
    (_name, scores, percentile, bca, within) => {
      for (const [method, want] of [
        ['percentile', percentile],
        ['bca', bca],
      ] as const) {
        const got = bootstrapInterval({ scores, method });
        expect(Math.abs(got.low - want[0]), method).toBeLessThanOrEqual(within);
        expect(Math.abs(got.high - want[1]), method).toBeLessThanOrEqual(within);
      }
    },
  );
  test('known bias correction and acceleration', () => {
    const clusters = groupClusters(SMALL);
    const { z0, a } = bcaConstants(clusters, resampledMeans(clusters, 200_000, 'x'));
    expect(a).toBeCloseTo(-0.092259, 6);
    expect(Math.abs(z0 - -0.0932)).toBeLessThan(0.006);
  });
  test('the same seed gives the same interval, another one another', () => {
    const scores = Array.from({ length: 40 }, (_, i) => (i * 37) % 101);
    const run = (seed: string) => bootstrapInterval({ scores, seed });
    expect(run('a')).toEqual(run('a'));
    expect(run('a')).not.toEqual(run('b'));
  });
  test('whole clusters are drawn: copies of a case add no certainty', () => {
    const scores = [0.1, 0.9, 0.4, 0.7, 0.2, 1, 0.6, 0.3, 0.8, 0.5];
    const copies = scores.flatMap((s) => [s, s, s, s]);
    const labels = scores.flatMap((_, i) => [`f${i}`, `f${i}`, `f${i}`, `f${i}`]);
    const one = bootstrapInterval({ scores });
    const naive = bootstrapInterval({ scores: copies });
    const clustered = bootstrapInterval({ scores: copies, clusters: labels });
    expect(clustered).toEqual({
      ...one,
      low: expect.closeTo(one.low, 9),
      high: expect.closeTo(one.high, 9),
      method: 'BCa, 10 clusters',
    });
    expect(naive.high - naive.low).toBeLessThan(0.6 * (clustered.high - clustered.low));
  });
  test('labels that do not fit the scores are refused', () => {
    expect(() => bootstrapInterval({ scores: [1, 0], clusters: ['a'] })).toThrow('1 cluster labels for 2 scores');
  });
});

describe('all scores equal', () => {
  test('ten of ten is not certainty', () => {
    expect(degenerateInterval(1, 10)).toEqual({ low: expect.closeTo(clopperPearson(10, 10).low, 9), high: 1 });
    expect(degenerateInterval(0, 10)).toEqual({ low: 0, high: expect.closeTo(clopperPearson(0, 10).high, 9) });
  });
  test('a value between has both ends open', () => {
    const { low, high } = degenerateInterval(0.5, 20);
    expect(low).toBeLessThan(0.5);
    expect(low + high).toBeCloseTo(1, 12);
  });
});

describe('meanInterval picks by the table', () => {
  const spread = Array.from({ length: 20 }, (_, i) => (i % 5) / 4);
  test.each([
    ['no scores', [], {}, 'no cases'],
    ['fewer than ten', [1, 0.5, 0.25], {}, 'Wilson'],
    ['nine of nine', new Array(9).fill(1), {}, 'Wilson'],
    ['binary', [...new Array(9).fill(1), 0], { binary: true }, 'Wilson'],
    ['binary, all right', new Array(35).fill(1), { binary: true }, 'Wilson'],
    ['fractional, all equal', new Array(12).fill(1), {}, 'exact, all equal'],
    ['fractional', SMALL, {}, 'BCa'],
    ['clustered', spread, { clusters: spread.map((_, i) => `f${i >> 1}`) }, 'BCa, 10 clusters'],
    ['few clusters', spread, { clusters: spread.map((_, i) => `f${i % 5}`) }, 'Wilson, clustered'],
    ['one cluster', spread, { clusters: spread.map(() => 'f') }, 'Wilson, clustered'],
  ])('%s', (_name, scores: number[], options, method) => {
    const interval = meanInterval(scores, options);
    expect(interval.method).toBe(method);
    expect(interval.low).toBeGreaterThanOrEqual(0);
    expect(interval.high).toBeLessThanOrEqual(1);
    expect(interval.low).toBeLessThanOrEqual(mean(scores));
    expect(interval.high).toBeGreaterThanOrEqual(mean(scores));
  });
  test('a binary metric of one run is Wilson of its count', () => {
    expect(meanInterval([...new Array(31).fill(1), 0, 0, 0, 0], { binary: true })).toMatchObject(wilson(31, 35));
  });
  test('cases of one file widen a binary interval', () => {
    const scores = Array.from({ length: 40 }, (_, i) => (i < 30 ? 1 : 0));
    const labels = scores.map((_, i) => `f${Math.floor(i / 5)}`);
    const plain = meanInterval(scores, { binary: true });
    const clustered = meanInterval(scores, { binary: true, clusters: labels });
    expect(clustered.high - clustered.low).toBeGreaterThan(1.5 * (plain.high - plain.low));
  });
  test('one cluster tells as much as one case', () => {
    expect(meanInterval(spread, { clusters: spread.map(() => 'f') })).toMatchObject(wilson(0.5, 1));
  });
  test('covers what it claims: 35 cases of a skewed score', () => {
    const random = createRandom('coverage');
    const normal = createNormal(random);
    const truth = 0.5 + 0.4 * normalCdf(0); // the mean of .5 + .4 Phi(Z) is .7
    let hits = 0;
    for (let r = 0; r < 300; r++) {
      const scores = Array.from({ length: 35 }, () => 0.5 + 0.4 * normalCdf(normal()));
      const { low, high } = meanInterval(scores, { resamples: 1000, seed: `${r}` });
      if (low <= truth && truth <= high) hits += 1;
    }
    expect(hits / 300).toBeGreaterThan(0.9);
    expect(hits / 300).toBeLessThan(0.99);
  });
});

test('10 000 resamples of 30 metrics on 80 cases take under a second of a processor', () => {
  const random = createRandom('speed');
  const clusters = Array.from({ length: 80 }, (_, i) => `f${i % 50}`);
  const before = process.cpuUsage();
  for (let metric = 0; metric < 30; metric++) {
    expect(meanInterval(Array.from({ length: 80 }, random), { clusters }).method).toBe('BCa, 50 clusters');
  }
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(1000);
});

describe('variances', () => {
  test('unbiased, and 0 where there is nothing to vary', () => {
    expect(variance([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(32 / 7, 12);
    expect(variance([3])).toBe(0);
    expect(mean([])).toBe(0);
  });
  test('clusters of one are the plain standard error', () => {
    const labels = SMALL.map((_, i) => `${i}`);
    expect(clusteredVarianceOfMean(SMALL, labels)).toEqual({
      variance: expect.closeTo(variance(SMALL) / 10, 12),
      clusters: 10,
    });
  });
});
