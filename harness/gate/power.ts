/**
 * `gate power`: what a comparison on these cases can find. From recorded runs come n and the variance within a case from run to run.
 * How unevenly a change hits cases (omega^2) is not known before the change, so both ends are given:
 *   even          every case falls by the same amount: omega^2 = 0
 *   concentrated  a share D of the cases breaks wholly: omega^2 = D (1 - D), which needs the most
 * One run cannot show its noise: then that recorded in gate.json is taken, or none (a deterministic system).
 */
import { metricInfo } from '../metrics/catalog.ts';
import { casesNeeded, minimalDetectable, type PowerInput, runsNeeded } from '../stats/mde.ts';
import { pooledTau2, runVariance } from '../stats/run-variance.ts';
import { caseMean } from '../summary.ts';
import type { GateConfig } from './config.ts';
import type { Finding } from './finding.ts';
import { loadSide, type Side } from './sides.ts';

export interface MetricPower {
  metric: string;
  title: string;
  n: number;
  within: number;
  tau2: number;
  /** Smallest drop found 4 times of 5, by runs a side. */
  mde: { runs: number; even: number; concentrated: number }[];
  /** For a concentrated drop of the size asked for, or of the margin. */
  drop: number;
  needs: { cases: { runs: number; cases: number | null }[]; runs: number | null };
}

export interface PowerResult {
  repetitions: number;
  metrics: MetricPower[];
  findings: Finding[];
}

const RUNS = [1, 2, 4, 8];

export function measurePower(
  dirs: readonly string[],
  margins: GateConfig['margins'],
  noise: GateConfig['noise'],
  drop: number | null,
): PowerResult {
  const { side, findings } = loadSide(dirs);
  const base = { repetitions: side.repetitions, findings };
  if (findings.length > 0) return { ...base, metrics: [] };
  return {
    ...base,
    metrics: Object.entries(margins).flatMap(([metric, margin]) =>
      powerOf(metric, side, noise[metric], drop ?? margin),
    ),
  };
}

function powerOf(
  metric: string,
  side: Side,
  noise: GateConfig['noise'][string] | undefined,
  drop: number,
): MetricPower[] {
  const rows = [...(side.scores.get(metric)?.values() ?? [])].filter((runs) => caseMean(runs) !== null);
  if (rows.length === 0) return [];
  const variance = runVariance(rows);
  const single = side.repetitions === 1;
  const within = single ? (noise?.within ?? 0) : variance.within;
  const tau2 = single ? (noise?.tau2 ?? 0) : pooledTau2([variance]).tau2;
  const input = (runs: number, omega2: number): PowerInput => ({
    n: rows.length,
    omega2,
    sigma2A: within,
    sigma2B: within,
    runsA: runs,
    runsB: runs,
    tau2,
  });
  const hit = drop * (1 - drop);
  return [
    {
      metric,
      title: metricInfo(metric)?.title ?? metric,
      n: rows.length,
      within,
      tau2,
      mde: RUNS.map((runs) => ({
        runs,
        even: minimalDetectable(input(runs, 0)),
        concentrated: concentrated((omega2) => input(runs, omega2)),
      })),
      drop,
      needs: {
        cases: RUNS.map((runs) => ({ runs, cases: casesNeeded(input(runs, hit), drop) })),
        runs: runsNeeded(input(1, hit), drop),
      },
    },
  ];
}

/** The drop D with D = MDE(omega^2 = D (1 - D)), by halving; at most 1. */
function concentrated(input: (omega2: number) => PowerInput): number {
  let low = 0;
  let high = 1;
  for (let i = 0; i < 40; i++) {
    const drop = (low + high) / 2;
    if (minimalDetectable(input(drop * (1 - drop))) > drop) low = drop;
    else high = drop;
  }
  return high;
}
