/**
 * Two versions on the same cases, K_A and K_B runs each. d_i = mean of case i under new minus under base, D = mean(d).
 *   SE^2 = var(d)/n + tau2 (1/K_A + 1/K_B)      tau2 pooled over both sides; var(d)/n by clusters where that is larger
 *   df by Satterthwaite (1946), Student t; one-sided 95% bounds of D.
 * With one run a side tau2 cannot be seen: the p-value is the exact one of McNemar (binary) or the sign flip, and the noise recorded
 * from runs of the same code is a second condition (see verdict.ts).
 * Higher is better: scores of metrics where lower is better are to be negated by the caller. Smallest n: 2 pairs.
 */
import { tCdf, tQuantile } from './distributions.ts';
import { mcnemarOneSided } from './mcnemar.ts';
import { pooledTau2, type Runs, type RunVariance, runVariance } from './run-variance.ts';
import { satterthwaite } from './satterthwaite.ts';
import { signFlip } from './sign-flip.ts';
import { clusteredVarianceOfMean, mean, variance } from './variance.ts';

const ALPHA = 0.05;
const POWER = 0.8;

export interface PairedScores {
  /** `base[i]` and `new[i]` are the runs of the same case; each has at least one score. */
  base: readonly Runs[];
  new: readonly Runs[];
  /** One label per case; cases with the same label are not independent. */
  clusters?: readonly string[] | undefined;
  /** Each score is 0 or 1 (or 0 and -1): with one run a side McNemar's test applies. */
  binary?: boolean;
  /** From earlier runs of the same code. */
  noise?: RecordedNoise | undefined;
}

export interface RecordedNoise {
  /** Largest gap between the means of any two runs. */
  gap: number;
  tau2: number;
}

export interface Comparison {
  n: number;
  runs: { base: number; new: number };
  base: number;
  new: number;
  difference: number;
  identical: boolean;
  se: number;
  /** Which of the two estimates of var(d)/n was larger. */
  seFrom: 'cases' | 'clusters';
  df: number;
  tau2: number;
  /** One-sided 95% bounds of the difference. */
  low: number;
  high: number;
  /** One-sided: how often a drop this large comes about without a change. */
  p: number;
  test: 't' | 'McNemar' | 'sign flip' | 'none';
  /** Smallest drop found in 4 of 5 comparisons like this one. */
  mde: number;
  /** var(d) taken apart, for planning. */
  omega2: number;
  within: { base: number; new: number };
}

export function comparePaired(input: PairedScores): Comparison {
  const base = runVariance(input.base);
  const after = runVariance(input.new);
  const d = after.means.map((x, i) => tidy(x - (base.means[i] ?? 0)));
  const n = d.length;
  const single = base.runs === 1 && after.runs === 1;
  const cases = varianceOfMean(d, input.clusters);
  const tau = single ? { tau2: input.noise?.tau2 ?? 0, ofRunMeans: 0, df: 0 } : pooledTau2([base, after]);
  const share = 1 / Math.max(1, base.runs) + 1 / Math.max(1, after.runs);
  const se = Math.sqrt(cases.variance + tau.tau2 * share);
  // The estimate of tau2 is as uncertain as the variance of the run means it was taken from.
  const drift = { square: tau.tau2 > 0 && tau.df > 0 ? tau.ofRunMeans * share : 0, df: tau.df };
  const df = satterthwaite(se ** 2, [{ square: cases.variance, df: cases.df }, drift]);
  const difference = mean(d);
  const t = n < 2 ? Number.POSITIVE_INFINITY : tQuantile(1 - ALPHA, df);
  const half = n < 2 ? 2 : t * se;
  return {
    n,
    runs: { base: base.runs, new: after.runs },
    base: mean(base.means),
    new: mean(after.means),
    difference,
    identical: n > 0 && allPairsEqual(input),
    se,
    seFrom: cases.from,
    df,
    tau2: tau.tau2,
    low: difference - half,
    high: difference + half,
    ...pValue(d, { single, binary: input.binary ?? false, t: difference / se, df }),
    mde: n < 2 ? 2 : (t + tQuantile(POWER, df)) * se,
    ...partsOf(d, base, after),
  };
}

interface CaseVariance {
  variance: number;
  df: number;
  from: 'cases' | 'clusters';
}

function varianceOfMean(d: readonly number[], labels: readonly string[] | undefined): CaseVariance {
  const plain: CaseVariance = {
    variance: variance(d) / Math.max(1, d.length),
    df: Math.max(1, d.length - 1),
    from: 'cases',
  };
  if (labels === undefined) return plain;
  const { variance: clustered, clusters } = clusteredVarianceOfMean(d, labels);
  return clustered > plain.variance ? { variance: clustered, df: Math.max(1, clusters - 1), from: 'clusters' } : plain;
}

interface TestInput {
  single: boolean;
  binary: boolean;
  t: number;
  df: number;
}

/** t of 0/0 does not exist: without a spread of differences (all equal) the exact sign flip answers. */
function pValue(d: readonly number[], { single, binary, t, df }: TestInput): Pick<Comparison, 'p' | 'test'> {
  if (d.every((x) => x === 0)) return { p: 1, test: 'none' };
  if (single && binary) {
    return { p: mcnemarOneSided(d.filter((x) => x < 0).length, d.filter((x) => x > 0).length), test: 'McNemar' };
  }
  if (single || !Number.isFinite(t)) return { p: signFlip(d).p, test: 'sign flip' };
  return { p: tCdf(t, df), test: 't' };
}

function partsOf(d: readonly number[], base: RunVariance, after: RunVariance): Pick<Comparison, 'omega2' | 'within'> {
  const noise = base.within / Math.max(1, base.runs) + after.within / Math.max(1, after.runs);
  return { omega2: Math.max(0, variance(d) - noise), within: { base: base.within, new: after.within } };
}

function allPairsEqual(input: PairedScores): boolean {
  return input.base.every((runs, i) => {
    const all = [...runs, ...(input.new[i] ?? [])].filter((x) => x !== null);
    return all.every((x) => x === all[0]);
  });
}

/** The same runs in another order have means that differ in the last bits; that is no difference. */
function tidy(d: number): number {
  return Math.abs(d) < 1e-12 ? 0 : d;
}
