/**
 * `gate compare`: did the new side get worse than the base? Statistics in ../stats/comparison.ts and verdict.ts; here the sides are read,
 * refused when they cannot be compared, paired case by case, and every metric is compared: those with a margin gate, the others are shown.
 */
import { METRICS, metricInfo } from '../metrics/catalog.ts';
import { type Comparison, comparePaired } from '../stats/comparison.ts';
import { casesNeeded, type PowerInput, runsNeeded } from '../stats/mde.ts';
import { type Judged, judgeMetrics, overallVerdict, type Verdict } from '../stats/verdict.ts';
import type { GateConfig } from './config.ts';
import { type Finding, GATE_EXIT } from './finding.ts';
import { type Flips, flipsOf } from './flips.ts';
import { notesOn, ungatedDrops } from './notes.ts';
import { oriented, type Paired, pairCases } from './pairs.ts';
import { permutationOf } from './second-opinion.ts';
import { type AllowKind, loadSide, mismatches, type Side } from './sides.ts';

export interface MetricComparison {
  metric: string;
  title: string;
  direction: 'higher' | 'lower';
  gates: boolean;
  margin: number | null;
  /** Null when there is no pair. Its scores are turned so that higher is better; `base` and `new` here are as the metric has them. */
  comparison: Comparison | null;
  base: number | null;
  new: number | null;
  judged: Judged | null;
  flips: Flips;
  unpaired: Paired['unpaired'];
  /** Exact test that takes runs as independent; null for fractional scores and single runs. */
  permutation: number | null;
  /** What would tell a drop of the margin: runs a side with these cases, or cases with these runs; null when none would. */
  needed: { runs: number | null; cases: number | null } | null;
}

export interface CompareResult {
  verdict: Verdict;
  exit: number;
  base: { dirs: string[]; repetitions: number };
  new: { dirs: string[]; repetitions: number };
  metrics: MetricComparison[];
  findings: Finding[];
  /** Differences that were let through with --allow, and what else a reader should know. */
  notes: string[];
}

export interface CompareOptions {
  base: readonly string[];
  new: readonly string[];
  margins: GateConfig['margins'];
  noise: GateConfig['noise'];
  allow: readonly AllowKind[];
}

const EXIT: Record<Verdict, number> = {
  IDENTICAL: GATE_EXIT.pass,
  'NON-INFERIOR': GATE_EXIT.pass,
  REGRESSION: GATE_EXIT.regression,
  INCONCLUSIVE: GATE_EXIT.inconclusive,
  INVALID: GATE_EXIT.invalid,
};

export function compareRuns(options: CompareOptions): CompareResult {
  const base = loadSide(options.base);
  const after = loadSide(options.new);
  const differing = mismatches(base.side, after.side);
  const refused = differing.filter(({ kind }) => !options.allow.includes(kind));
  const findings: Finding[] = [
    ...emptySide('base', options.base),
    ...emptySide('new', options.new),
    ...base.findings,
    ...after.findings,
    ...refused.map(({ kind, message }) => ({
      kind: 'invalid' as const,
      message: `${message}; --allow ${kind} compares all the same`,
    })),
  ];
  const result = {
    base: { dirs: base.side.dirs, repetitions: base.side.repetitions },
    new: { dirs: after.side.dirs, repetitions: after.side.repetitions },
    findings,
    notes: [
      ...differing.filter(({ kind }) => options.allow.includes(kind)).map(({ message }) => `Allowed: ${message}.`),
      ...notesOn(base.side, after.side),
    ],
  };
  if (findings.length > 0) return { ...result, verdict: 'INVALID', exit: EXIT.INVALID, metrics: [] };
  const metrics = compareMetrics(base.side, after.side, options);
  const verdict = overallVerdict(metrics.flatMap(({ judged }) => judged?.verdict ?? []));
  return { ...result, notes: [...result.notes, ...ungatedDrops(metrics)], verdict, exit: EXIT[verdict], metrics };
}

function compareMetrics(base: Side, after: Side, { margins, noise }: CompareOptions): MetricComparison[] {
  const names = METRICS.map(({ name }) => name).filter(
    (name) => base.scores.has(name) || after.scores.has(name) || name in margins,
  );
  const shown = names.map((name) => compareMetric(pairCases(name, base, after), margins[name] ?? null, noise[name]));
  const gating = shown.filter(({ gates }) => gates);
  const judged = judgeMetrics(
    gating.map(({ metric, comparison, margin, unpaired }) => ({
      comparison,
      margin: margin ?? 0,
      noise: noise[metric],
      missing: metric === 'faithfulness' ? missingVerdicts(unpaired, base, after) : null,
    })),
  );
  gating.forEach((item, i) => {
    item.judged = judged[i] ?? null;
  });
  return [...gating, ...shown.filter(({ gates, comparison }) => !gates && comparison !== null)];
}

function compareMetric(
  paired: Paired,
  margin: number | null,
  noise: GateConfig['noise'][string] | undefined,
): MetricComparison {
  const { metric, pairs, unpaired } = paired;
  const info = metricInfo(metric);
  const direction = info?.direction ?? 'higher';
  const sign = direction === 'lower' ? -1 : 1;
  const comparison =
    pairs.length === 0
      ? null
      : comparePaired({
          base: pairs.map((pair) => oriented(metric, pair.base)),
          new: pairs.map((pair) => oriented(metric, pair.new)),
          clusters: pairs.map(({ cluster }) => cluster),
          binary: info?.binary ?? false,
          noise,
        });
  return {
    metric,
    title: info?.title ?? metric,
    direction,
    gates: margin !== null,
    margin,
    comparison,
    base: comparison === null ? null : sign * comparison.base,
    new: comparison === null ? null : sign * comparison.new,
    judged: null,
    flips: flipsOf(metric, pairs),
    unpaired,
    permutation: permutationOf(metric, paired),
    needed: comparison === null || margin === null ? null : neededFor(comparison, margin),
  };
}

/** A case that was refused on one side has no faithfulness there, rightly; one whose sentences nobody judged should have. */
function missingVerdicts(unpaired: Paired['unpaired'], base: Side, after: Side): string | null {
  const missing = unpaired.filter(({ id, scored }) => (scored === 'base' ? after : base).unjudged.cases.has(id));
  return missing.length === 0
    ? null
    : `${missing.length} cases have an answer but no verdict on one side: ${missing
        .map(({ id }) => id)
        .slice(0, 5)
        .join(', ')}`;
}

function neededFor(comparison: Comparison, drop: number): { runs: number | null; cases: number | null } {
  const { n, runs, omega2, within, tau2 } = comparison;
  const input: PowerInput = {
    n,
    omega2,
    sigma2A: within.base,
    sigma2B: within.new,
    runsA: runs.base,
    runsB: runs.new,
    tau2,
  };
  return { runs: runsNeeded(input, drop), cases: casesNeeded(input, drop) };
}

function emptySide(name: string, dirs: readonly string[]): Finding[] {
  if (dirs.length > 0) return [];
  return [{ kind: 'invalid', message: `the ${name} side names no run (gate compare BASE... -- NEW...)` }];
}
