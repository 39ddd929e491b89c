/** The parts of the README that are made from committed results, between comments that name them. Pure. */
import { metricInfo } from '../harness/metrics/catalog.ts';
import { interval, number } from '../harness/report/format.ts';
import type { Summary } from '../harness/schema.ts';
import type { Result } from '../loadtest/result.ts';

/** What a newcomer looks at first; the report has the rest. */
const METRICS = [
  'recall@5',
  'ndcg@10',
  'context_recall',
  'key_fact_recall',
  'right_decision',
  'wrong_refusal',
  'wrong_answer',
  'citation_precision',
  'citation_recall',
  'faithfulness',
];

export interface EvaluatedRun {
  /** Its folder, for the link. */
  dir: string;
  summary: Summary;
}

export function evaluationTable(runs: readonly EvaluatedRun[]): string {
  const titles = runs.map(({ dir, summary }) => `[${nameOf(summary)}](${dir}/report.md)`);
  const rows = METRICS.map((name) => {
    const cells = runs.map(({ summary }) => cell(summary, name));
    const info = metricInfo(name);
    return [`${info?.title ?? name}${info?.direction === 'lower' ? ' (lower is better)' : ''}`, ...cells];
  });
  return table(['metric', ...titles], rows);
}

export function loadTable(results: readonly Result[]): string {
  const rows = results.flatMap((result) =>
    result.points.map(({ users, answersPerS, theoryPerS, k6 }) => [
      result.target === 'stand-in' ? 'stand-in' : `llama.cpp, ${result.model.name}`,
      `${result.model.slots}`,
      `${users}`,
      answersPerS.toFixed(2),
      theoryPerS === null ? '–' : (answersPerS / theoryPerS).toFixed(2),
      ms(k6.ttftMs?.p50),
      ms(k6.ttftMs?.p95),
      `${k6.rejected}`,
      `${k6.failed + k6.broken}`,
    ]),
  );
  const head = ['model', 'slots', 'users', 'answers/s', 'of theory', 'first token P50', 'P95', '503s', 'failed'];
  return table(head, rows);
}

/** Throws when the text has no place for a block. */
export function fill(text: string, blocks: Readonly<Record<string, string>>): string {
  return Object.entries(blocks).reduce((result, [name, block]) => {
    const place = new RegExp(`(<!-- ${name}: [^>]*-->\\n)[\\s\\S]*?(<!-- end -->)`);
    if (!place.test(result)) throw new Error(`There is no place for ${name} in the text.`);
    return result.replace(place, (_all, before: string, after: string) => `${before}\n${block}\n\n${after}`);
  }, text);
}

function nameOf({ service }: Summary): string {
  const writer = service.provider === service.model ? 'quotations, no model' : service.model;
  return `${writer}, ${service.search === 'lexical' ? 'words' : 'words and meaning'}`;
}

function cell(summary: Summary, name: string): string {
  const metric = summary.metrics.find((item) => item.name === name && item.slice === 'overall');
  return metric === undefined || metric.value === null ? '–' : `${number(metric.value)} ${interval(metric)}`;
}

function ms(value: number | undefined): string {
  return value === undefined ? '–' : `${Math.round(value)} ms`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|---${'|---:'.repeat(head.length - 1)}|`, ...rows.map(line)].join('\n');
}
