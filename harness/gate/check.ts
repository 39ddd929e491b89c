/**
 * `gate check`: from records alone, no model and no network. Every number is computed again from answers and verdicts; summary.json is not
 * read. Order of questions: are the records what was recorded, are they about what is there now, are they good enough.
 */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { staleAgreements } from '../agreement.ts';
import { diffCases } from '../cases.ts';
import { metricInfo } from '../metrics/catalog.ts';
import { RUN_FILES, type RunRecords, readRun, runExists } from '../run.ts';
import type { Case, Metric } from '../schema.ts';
import { type Scores, scoreCases } from '../score.ts';
import { SMALLEST_N } from '../stats/mean-interval.ts';
import { caseMean, slicesOf, summarise } from '../summary.ts';
import { verifyRun } from '../verify.ts';
import { type CasesFile, readCasesFile } from './case-lines.ts';
import type { Floor, LoadedGate } from './config.ts';
import { type CasePlace, exitOf, type Finding } from './finding.ts';

/** Looks whether a run is about what is there now (prompt, judge, corpus); one sentence for each thing that changed. */
export type StalenessCheck = (records: RunRecords) => string[];

export interface FloorRow extends Pick<Metric, 'name' | 'slice' | 'n' | 'value' | 'low' | 'high'> {
  bound: number;
  direction: Metric['direction'];
  met: boolean;
}

export interface CheckedRun {
  run: string;
  cases: number;
  repetitions: number;
  rows: FloorRow[];
  findings: Finding[];
  /** What else was done with this run. */
  note?: string;
}

export interface CheckResult {
  exit: number;
  runs: CheckedRun[];
  findings: Finding[];
}

export function checkGate(gate: LoadedGate, stalenessOf: StalenessCheck): CheckResult {
  const now = readCasesFile(gate.at(gate.config.cases));
  const runs = gate.config.baselines.map(({ run, floors }) => checkRun(gate.at(run), floors, now, stalenessOf));
  const findings = runs.flatMap((run) => run.findings);
  return { exit: exitOf(findings), runs, findings };
}

function checkRun(dir: string, floors: readonly Floor[], now: CasesFile, stalenessOf: StalenessCheck): CheckedRun {
  const run = shown(dir);
  const empty = { run, cases: 0, repetitions: 0, rows: [] };
  if (!runExists(dir)) {
    const message = existsSync(dir) ? `holds no run (${RUN_FILES.manifest} is missing)` : 'does not exist';
    return {
      ...empty,
      findings: [{ kind: 'invalid', message: `${run} ${message}; run askdocs eval all --out ${run}` }],
    };
  }
  const broken = verifyRun(dir);
  if (broken.length > 0) {
    return {
      ...empty,
      findings: broken.map((why) => ({ kind: 'invalid', message: `${run}: ${why}`, file: placeOf(run, why) })),
    };
  }
  const records = readRun(dir);
  const findings = [
    ...casesFindings(run, records.cases, now),
    ...staleFindings(run, [...stalenessOf(records), ...staleAgreements(dir)]),
  ];
  const metrics = summarise(records).metrics;
  const scores = scoreCases(records);
  const rows: FloorRow[] = [];
  for (const floor of floors) {
    const result = checkFloor(run, floor, metrics);
    if (result.row !== null) rows.push(result.row);
    if (result.finding === null) continue;
    const cases = result.row === null ? undefined : worstCases(floor, records.cases, scores, now);
    findings.push({ ...result.finding, file: cases === undefined ? undefined : shown(now.path), cases });
  }
  return { run, cases: records.cases.length, repetitions: records.manifest.runs, rows, findings };
}

function casesFindings(run: string, asked: Case[], now: CasesFile): Finding[] {
  const { added, edited, removed } = diffCases(asked, now.cases);
  const file = shown(now.path);
  const about = (ids: readonly string[], what: string): Finding[] =>
    ids.map((id) => ({
      kind: 'stale',
      message: `case ${id} was ${what} after ${run} was recorded; run the evaluation again`,
      file,
      cases: [{ id, line: now.lines.get(id) }],
    }));
  return [...about(added, 'added'), ...about(edited, 'edited'), ...about(removed, 'removed')];
}

function staleFindings(run: string, reasons: readonly string[]): Finding[] {
  return reasons.map((why) => ({ kind: 'stale', message: `${run}: ${why}` }));
}

function checkFloor(
  run: string,
  floor: Floor,
  metrics: readonly Metric[],
): { row: FloorRow | null; finding: Finding | null } {
  const metric = metrics.find(({ name, slice }) => name === floor.metric && slice === floor.slice);
  const where = `${run}: ${floor.metric} (${floor.slice})`;
  const cannot = (why: string) => ({ row: null, finding: { kind: 'invalid' as const, message: `${where} ${why}` } });
  if (metric === undefined) return cannot('has a floor but no cases');
  if (metric.value === null)
    return {
      row: rowOf(metric, floor, false),
      finding: { kind: 'floor', message: `${where} has no score in any case` },
    };
  if (metric.n < SMALLEST_N) return cannot(`has a floor but only ${metric.n} cases; a floor needs ${SMALLEST_N}`);
  const { n, value, direction } = metric;
  const bound = boundOf(floor);
  const met = direction === 'higher' ? value >= bound : value <= bound;
  const row = rowOf(metric, floor, met);
  if (met) return { row, finding: null };
  const word = direction === 'higher' ? 'below' : 'above';
  const message = `${where} is ${value.toFixed(3)}, ${word} its floor of ${bound} (${n} cases)`;
  return { row, finding: { kind: 'floor', message } };
}

function rowOf({ name, slice, n, value, low, high, direction }: Metric, floor: Floor, met: boolean): FloorRow {
  return { name, slice, n, value, low, high, direction, bound: boundOf(floor), met };
}

function boundOf(floor: Floor): number {
  return floor.at_least ?? floor.at_most ?? 0;
}

/** The cases that score worst in a metric that missed its floor: where to look first. */
function worstCases(floor: Floor, cases: Case[], scores: Scores, now: CasesFile): CasePlace[] {
  const members = new Map(slicesOf(cases)).get(floor.slice) ?? [];
  const worst = metricInfo(floor.metric)?.direction === 'lower' ? 1 : 0;
  return members
    .filter(({ id }) => caseMean(scores.get(floor.metric)?.get(id) ?? []) === worst)
    .map(({ id }) => ({ id, line: now.lines.get(id) }));
}

/** `answers.jsonl:12: …` names a file of the run. */
function placeOf(run: string, why: string): string | undefined {
  const file = /^([\w-]+\.jsonl?)\b/.exec(why)?.[1];
  return file === undefined ? undefined : join(run, file);
}

function shown(path: string): string {
  const inside = relative(process.cwd(), path);
  return inside === '' || inside.startsWith('..') ? path : inside;
}
