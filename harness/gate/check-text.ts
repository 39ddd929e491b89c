/** `gate check` for people, for programs and for GitHub. */
import type { CheckedRun, CheckResult, FloorRow } from './check.ts';
import { annotations, type Finding, listCases } from './finding.ts';

export const CHECK_FORMATS = ['text', 'json', 'markdown', 'github'] as const;
export type CheckFormat = (typeof CHECK_FORMATS)[number];

export function formatCheck(result: CheckResult, format: CheckFormat): string {
  if (format === 'json') return `${JSON.stringify(result, null, 2)}\n`;
  if (format === 'markdown') return markdown(result);
  const lines = [verdictLine(result), ...result.runs.flatMap(runLines)];
  return `${[...lines, ...(format === 'github' ? annotations(result.findings) : [])].join('\n')}\n`;
}

/** The sentence that comes first. */
export function verdictLine({ runs, findings }: CheckResult): string {
  const count = (kind: Finding['kind']) => findings.filter((finding) => finding.kind === kind).length;
  const [invalid, stale, missed] = [count('invalid'), count('stale'), count('floor')];
  if (invalid > 0) return `INVALID: ${plural(invalid, 'record or floor', 'records or floors')} cannot be trusted.`;
  if (stale > 0) return `STALE: ${plural(stale, 'thing', 'things')} changed since the records were made.`;
  const floors = runs.reduce((sum, { rows }) => sum + rows.length, 0);
  if (missed > 0) return `FAILED: ${missed} of ${plural(floors, 'floor', 'floors')} missed.`;
  const cases = runs.reduce((sum, run) => sum + run.cases, 0);
  return `PASSED: ${plural(floors, 'floor', 'floors')} met, recomputed from the records of ${plural(cases, 'case', 'cases')}.`;
}

function runLines(run: CheckedRun): string[] {
  const width = Math.max(0, ...run.rows.map((row) => label(row).length));
  return [
    '',
    `${run.run}: ${plural(run.cases, 'case', 'cases')}, ${plural(run.repetitions, 'repetition', 'repetitions')}`,
    ...run.rows.map(
      (row) => `  ${row.met ? 'ok  ' : 'MISS'} ${label(row).padEnd(width)}  ${scoreOf(row)}  ${boundOf(row)}`,
    ),
    ...(run.note === undefined ? [] : [`  ${run.note}`]),
    ...run.findings.map((finding) => `  - ${sentence(finding)}`),
  ];
}

function markdown(result: CheckResult): string {
  const parts = [`**${verdictLine(result)}**`];
  for (const run of result.runs) {
    parts.push(`\n\`${run.run}\`, ${plural(run.cases, 'case', 'cases')}`);
    if (run.rows.length > 0) {
      const rows = run.rows.map(
        (row) => `| ${row.met ? 'ok' : '**miss**'} | ${label(row)} | ${scoreOf(row)} | ${boundOf(row)} |`,
      );
      parts.push(['\n| | metric | value [95%] | floor |', '|---|---|---|---|', ...rows].join('\n'));
    }
    if (run.note !== undefined) parts.push(`\n${run.note}`);
    if (run.findings.length > 0) parts.push(`\n${run.findings.map((finding) => `- ${sentence(finding)}`).join('\n')}`);
  }
  return `${parts.join('\n')}\n`;
}

function sentence({ message, cases = [] }: Finding): string {
  return cases.length > 1 ? `${message}; worst: ${listCases(cases)}` : message;
}

function label({ name, slice }: FloorRow): string {
  return slice === 'overall' ? name : `${name} (${slice})`;
}

function scoreOf({ value, low, high }: FloorRow): string {
  const show = (x: number | null) => (x === null ? '-' : x.toFixed(3));
  return `${show(value)} [${show(low)}, ${show(high)}]`;
}

function boundOf({ bound, direction }: FloorRow): string {
  return `${direction === 'higher' ? '>=' : '<='} ${bound}`;
}

function plural(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}
