/**
 * Smallest difference that K runs a side of n cases detect: (z_alpha + z_beta) sqrt((omega^2 + sigma_A^2/K_A + sigma_B^2/K_B) / n).
 * omega^2: how differently cases react to a change; sigma^2: variance within a case from run to run. Miller 2024 (arXiv 2411.00640).
 * Smallest n: 1. A drift of whole runs (tau^2) adds tau^2 (1/K_A + 1/K_B), which more cases cannot shrink.
 */
import { normalQuantile } from './distributions.ts';

export interface PowerInput {
  n: number;
  omega2: number;
  sigma2A: number;
  sigma2B: number;
  runsA: number;
  runsB: number;
  tau2?: number;
  alpha?: number;
  power?: number;
  sides?: 1 | 2;
}

export function minimalDetectable(input: PowerInput): number {
  return zSum(input) * Math.sqrt(varianceOfDifference(input));
}

/** The cases needed to detect `drop` with the runs given; null when a drift of runs alone is too large. */
export function casesNeeded(input: PowerInput, drop: number): number | null {
  const perCase = input.omega2 + input.sigma2A / input.runsA + input.sigma2B / input.runsB;
  const room = (drop / zSum(input)) ** 2 - (input.tau2 ?? 0) * (1 / input.runsA + 1 / input.runsB);
  return room <= 0 ? null : Math.max(1, Math.ceil(perCase / room));
}

/** The runs a side needed to detect `drop` with the cases given; null when no number of runs is enough. */
export function runsNeeded(input: PowerInput, drop: number): number | null {
  const perRun = (input.sigma2A + input.sigma2B) / input.n + 2 * (input.tau2 ?? 0);
  const room = (drop / zSum(input)) ** 2 - input.omega2 / input.n;
  return room <= 0 ? null : Math.max(1, Math.ceil(perRun / room));
}

function varianceOfDifference({ n, omega2, sigma2A, sigma2B, runsA, runsB, tau2 = 0 }: PowerInput): number {
  return (omega2 + sigma2A / runsA + sigma2B / runsB) / n + tau2 * (1 / runsA + 1 / runsB);
}

function zSum({ alpha = 0.05, power = 0.8, sides = 1 }: PowerInput): number {
  return normalQuantile(1 - alpha / sides) + normalQuantile(power);
}
