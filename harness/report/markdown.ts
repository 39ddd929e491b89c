/** The report as Markdown: a pure function of the records, without dates and durations. */
import { metricInfo } from '../metrics/catalog.ts';
import type { RunRecords } from '../run.ts';
import { KINDS, type Metric, type Summary } from '../schema.ts';
import { type Failure, failuresOf } from './failures.ts';
import { interval, KIND_TITLES, number, percent } from './format.ts';

export function renderMarkdown(records: RunRecords, summary: Summary): string {
  const sections = [
    heading(records, summary),
    '## Metrics',
    metricTable(summary),
    NOTES,
    '## To answer or to refuse',
    matrixTable(summary),
    ...judging(summary),
    '## Tokens and cost',
    usage(summary),
    '## What went wrong',
    failureList(failuresOf(records), summary.runs),
    '## What was run',
    provenance(records),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** The rows people look at first, for a terminal: name, value, interval, n. */
export function metricRows(summary: Summary): { metric: string; value: string; interval: string; n: number }[] {
  return overall(summary).map((metric) => ({
    metric: metricInfo(metric.name)?.title ?? metric.name,
    value: number(metric.value),
    interval: interval(metric),
    n: metric.n,
  }));
}

const NOTES = `Each value is a mean over n cases; a case is the mean of its repetitions. Intervals are 95%, resampled by the file that answers
a case. A dash: no case has a score. What each metric counts stands in docs/evaluation.md of askdocs. Times are in \`timings.json\`.`;

function heading({ cases }: RunRecords, summary: Summary): string {
  const { provider, model, search } = summary.service;
  const kinds = KINDS.flatMap((kind) => {
    const count = summary.cases.by_kind[kind];
    return count === undefined ? [] : [`${count} ${KIND_TITLES[kind]}`];
  });
  const repeated = summary.runs === 1 ? 'each asked once' : `each asked ${summary.runs} times`;
  return `# ${provider === model ? provider : `${provider}, ${model}`}, ${search} search\n\n${cases.length} cases (${kinds.join(', ')}), ${repeated}.`;
}

function overall(summary: Summary): Metric[] {
  return summary.metrics.filter((metric) => metric.slice === 'overall' && metric.value !== null);
}

function metricTable(summary: Summary): string {
  const slices = ['kind:factual', 'kind:multi_source', 'split:dev', 'split:test'];
  const rows = overall(summary).map((metric) => {
    const others = slices.map((slice) =>
      number(summary.metrics.find((item) => item.name === metric.name && item.slice === slice)?.value ?? null),
    );
    const info = metricInfo(metric.name);
    const title = `${info?.title ?? metric.name}${metric.direction === 'lower' ? ' (lower is better)' : ''}`;
    return [title, number(metric.value), interval(metric), String(metric.n), ...others];
  });
  return table(['metric', 'value', '95% interval', 'n', 'factual', 'multi-source', 'dev', 'test'], rows);
}

function matrixTable(summary: Summary): string {
  const rows = Object.entries(summary.refusals).map(([slice, m]) => {
    const right = m.answered + m.correct_refusal;
    const all = right + m.wrong_refusal + m.wrongly_answered + m.error;
    const counts = [m.answered, m.wrong_refusal, m.correct_refusal, m.wrongly_answered, m.error].map(String);
    return [slice.replace(/^\w+:/, '').replace('_', '-'), ...counts, percent(right, all)];
  });
  return table(['answers', 'answered', 'wrong refusal', 'correct refusal', 'wrongly answered', 'error', 'right'], rows);
}

function judging(summary: Summary): string[] {
  if (summary.judging.length === 0) return [];
  const rows = summary.judging.map((item) => [
    item.judge,
    item.model,
    String(item.expected),
    String(item.judged),
    String(item.unjudged),
    number(item.faithfulness),
    number(item.worst),
    number(item.best),
  ]);
  const titles = [
    'judge',
    'model',
    'questions',
    'judged',
    'unjudged',
    'faithfulness',
    'all unjudged no',
    'all unjudged yes',
  ];
  return ['## Judging', table(titles, rows)];
}

function usage({ usage: used }: Summary): string {
  const cost =
    used.cost_usd === null ? 'unknown, because some answers came without usage' : `${used.cost_usd.toFixed(4)} USD`;
  return (
    `${used.answers} answers, ${used.with_usage} with usage: ${used.prompt_tokens} prompt tokens ` +
    `(${used.cached_tokens} from the cache), ${used.completion_tokens} completion tokens. Cost: ${cost}.`
  );
}

function failureList(failures: Failure[], runs: number): string {
  if (failures.length === 0) return 'Nothing.';
  return failures
    .map(({ case_id, run, what }) => `- \`${case_id}\`${runs > 1 ? ` run ${run}` : ''}: ${what.map(flat).join('; ')}`)
    .join('\n');
}

function provenance({ manifest }: RunRecords): string {
  const judges = manifest.judges.map((judge) => `${judge.name} (${judge.model}, ${judge.fingerprint.slice(0, 12)})`);
  const lines = [
    `cases: \`${manifest.cases.path}\`, ${manifest.cases.hash.slice(0, 12)}`,
    `index: ${manifest.corpus.hash === null ? 'not known' : manifest.corpus.hash.slice(0, 12)}`,
    `settings: ${
      Object.entries(manifest.service.settings)
        .map(([name, value]) => `${name} ${String(value)}`)
        .join(', ') || 'not known'
    }`,
    `judges: ${judges.join(', ') || 'none'}`,
  ];
  return lines.map((line) => `- ${line}`).join('\n');
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const ruler = head.map((_, index) => (index === 0 ? '---' : '---:'));
  return [line(head), `| ${ruler.join(' | ')} |`, ...rows.map(line)].join('\n');
}

function flat(text: string): string {
  return text.replace(/[<>]/g, (mark) => (mark === '<' ? '&lt;' : '&gt;')).replace(/\s+/g, ' ');
}
