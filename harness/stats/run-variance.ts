/**
 * Where the variance of repeated runs comes from. Scores are x[case][run]; null where a run has none.
 *   s_i^2  variance within case i over its runs
 *   tau2   variance of whole runs beyond that: Var(run means) - sum_i s_i^2 / n^2 (a drifting judge or server). May be negative here;
 *          it is cut at 0 only after pooling both sides, so that noise is not counted one-sidedly.
 * Run means are taken of x[i][j] - mean_j x[i][j], so a missing score does not pass for a bad run. Smallest n: 1 case, 2 runs.
 */
import { mean, variance } from './variance.ts';

export type Runs = readonly (number | null)[];

export interface RunVariance {
  runs: number;
  /** Mean of each case over its runs. */
  means: number[];
  /** Mean over cases of s_i^2; 0 with one run. */
  within: number;
  /** Variance of the run means and the part of it that the cases explain. */
  ofRunMeans: number;
  explained: number;
}

export function runVariance(scores: readonly Runs[]): RunVariance {
  const present = scores.map((runs) => runs.filter((x) => x !== null));
  const means = present.map(mean);
  const within = present.map(variance);
  const runs = Math.max(0, ...scores.map((row) => row.length));
  const n = scores.length;
  return {
    runs,
    means,
    within: mean(within),
    ofRunMeans: variance(residualMeans(scores, means, runs)),
    explained: n === 0 ? 0 : within.reduce((s, x) => s + x, 0) / n ** 2,
  };
}

/** tau2 pooled over the sides, weighted by their degrees of freedom; 0 and no degrees of freedom when no side has two runs. */
export function pooledTau2(sides: readonly RunVariance[]): { tau2: number; ofRunMeans: number; df: number } {
  const df = sides.reduce((s, side) => s + Math.max(0, side.runs - 1), 0);
  if (df === 0) return { tau2: 0, ofRunMeans: 0, df: 0 };
  const pool = (pick: (side: RunVariance) => number) =>
    sides.reduce((s, side) => s + Math.max(0, side.runs - 1) * pick(side), 0) / df;
  const ofRunMeans = pool((side) => side.ofRunMeans);
  return { tau2: Math.max(0, ofRunMeans - pool((side) => side.explained)), ofRunMeans, df };
}

function residualMeans(scores: readonly Runs[], means: readonly number[], runs: number): number[] {
  return Array.from({ length: runs }, (_, j) => {
    let sum = 0;
    let n = 0;
    scores.forEach((row, i) => {
      const x = row[j];
      if (x === null || x === undefined) return;
      sum += x - (means[i] ?? 0);
      n += 1;
    });
    return n === 0 ? 0 : sum / n;
  });
}
