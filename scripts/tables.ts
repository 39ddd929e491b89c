/** What the evaluation prints in a terminal. */
import { metricRows } from '../harness/report/markdown.ts';
import type { Summary } from '../harness/schema.ts';
import type { StageTiming } from '../harness/timings.ts';

/** citty wants its options in a list it could change, so no `as const` here. */
export const formatArg = {
  type: 'enum' as const,
  options: ['table', 'json'],
  default: 'table',
  description: 'How to print the numbers',
};

/** Columns as wide as their widest cell; all but the first flush right. */
export function textTable(head: string[], rows: string[][]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function metricsTable(summary: Summary): string {
  const rows = metricRows(summary).map((row) => [row.metric, row.value, row.interval, String(row.n)]);
  const matrix = Object.entries(summary.refusals).map(([slice, counts]) => [
    slice,
    ...Object.values(counts).map(String),
  ]);
  return [
    textTable(['metric', 'value', '95% interval', 'n'], rows),
    textTable(['answers', 'answered', 'wrong refusal', 'correct refusal', 'wrongly answered', 'error'], matrix),
  ].join('\n\n');
}

export function timingsTable(timings: readonly StageTiming[]): string {
  const rows = timings.map((item) => [item.stage, String(item.n), String(item.p50_ms), String(item.p95_ms)]);
  return textTable(['time', 'n', 'P50 ms', 'P95 ms'], rows);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
