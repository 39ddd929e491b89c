/**
 * Simulated comparisons, to know how often a rule cries wolf and how often it finds a drop. Scores are 0 or 1, n cases, K runs a side.
 *   medium        per-case success p ~ Beta(2.4, .8)
 *   low           75% of cases p = .99, 10% p = .03, 15% U(.2, .9)
 *   concentrated  medium, and the drop hits a random share d / mean p of the cases wholly (p_new = .03 p)
 * The drop of the first two is uniform: p_new = p (1 - d / mean p). tau is the SD of a shock of a whole run, on the logit scale.
 */
import { bootstrapInterval } from './bootstrap.ts';
import { comparePaired } from './comparison.ts';
import { betaQuantile } from './distributions.ts';
import { createNormal, createRandom } from './random.ts';
import { mean } from './variance.ts';

export const PROFILES = ['low', 'medium', 'concentrated'] as const;
export type Profile = (typeof PROFILES)[number];

export interface Scenario {
  profile: Profile;
  cases: number;
  runs: number;
  drop: number;
  tau: number;
}

/** Rates of REGRESSION of three rules on the same simulated data. */
export interface RuleRates {
  ours: number;
  pairedBootstrap: number;
  twoConditions: number;
}

/** Runs used to record the noise for the rule of two conditions. */
const CALIBRATION_RUNS = 4;
const RESAMPLES = 1000;
const LEVEL = 0.05;

export function simulate(
  scenario: Scenario,
  repetitions: number,
  seed: string,
  rules: 'all' | 'ours' = 'all',
): RuleRates {
  const world = createWorld(scenario, seed);
  const hits: RuleRates = { ours: 0, pairedBootstrap: 0, twoConditions: 0 };
  for (let r = 0; r < repetitions; r++) {
    const { base, new: after, calibration } = world();
    const comparison = comparePaired({ base, new: after });
    if (comparison.p < LEVEL && comparison.difference < 0) hits.ours += 1;
    if (rules === 'ours') continue;
    if (bootstrapSaysDrop(differences(base, after), `${seed}/${r}`)) hits.pairedBootstrap += 1;
    if (twoConditions(base, after, calibration, `${seed}/${r}`)) hits.twoConditions += 1;
  }
  return {
    ours: hits.ours / repetitions,
    pairedBootstrap: hits.pairedBootstrap / repetitions,
    twoConditions: hits.twoConditions / repetitions,
  };
}

interface Sample {
  base: number[][];
  new: number[][];
  calibration: number[][];
}

/** A source of samples; each draws new cases. */
function createWorld({ profile, cases, runs, drop, tau }: Scenario, seed: string): () => Sample {
  const random = createRandom(seed);
  const normal = createNormal(random);
  const side = (ps: readonly number[], count: number) => {
    const shocks = Array.from({ length: count }, () => tau * normal());
    return ps.map((p) => shocks.map((shock) => Number(random() < shifted(p, shock))));
  };
  return () => {
    const before = Array.from({ length: cases }, () => successOf(profile, random));
    const after = dropped(profile, before, drop, random);
    return { base: side(before, runs), new: side(after, runs), calibration: side(before, CALIBRATION_RUNS) };
  };
}

function successOf(profile: Profile, random: () => number): number {
  if (profile !== 'low') return betaQuantile(random(), 2.4, 0.8);
  const u = random();
  if (u < 0.75) return 0.99;
  return u < 0.85 ? 0.03 : 0.2 + 0.7 * random();
}

/** Relative to the profile's mean, not the sample's, so that every sample has the same expected drop. */
function dropped(profile: Profile, before: readonly number[], drop: number, random: () => number): number[] {
  const share = drop / (profile === 'low' ? 0.75 * 0.99 + 0.1 * 0.03 + 0.15 * 0.55 : 0.75);
  if (profile === 'concentrated') return before.map((p) => (random() < share ? 0.03 * p : p));
  return before.map((p) => p * (1 - share));
}

function shifted(p: number, shock: number): number {
  if (shock === 0) return p;
  return 1 / (1 + Math.exp(-(Math.log(p / (1 - p)) + shock)));
}

function differences(base: readonly number[][], after: readonly number[][]): number[] {
  return base.map((runs, i) => mean(after[i] ?? []) - mean(runs));
}

function bootstrapSaysDrop(d: readonly number[], seed: string): boolean {
  const { high } = bootstrapInterval({
    scores: d,
    method: 'percentile',
    resamples: RESAMPLES,
    seed,
    confidence: 1 - 2 * LEVEL,
  });
  return high < 0;
}

/** One run a side: outside the 95% interval of the paired bootstrap, and larger than any gap between runs of the same code. */
function twoConditions(
  base: readonly number[][],
  after: readonly number[][],
  calibration: readonly number[][],
  seed: string,
): boolean {
  const d = base.map((runs, i) => (after[i]?.[0] ?? 0) - (runs[0] ?? 0));
  const means = Array.from({ length: CALIBRATION_RUNS }, (_, j) => mean(calibration.map((runs) => runs[j] ?? 0)));
  const noise = Math.max(...means) - Math.min(...means);
  const { high } = bootstrapInterval({ scores: d, method: 'percentile', resamples: RESAMPLES, seed });
  return high < 0 && -mean(d) > noise;
}
