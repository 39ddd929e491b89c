/** From records to numbers. Pure: the same records give the same bytes, and nothing in it is a date or a duration. */
import { casesHash } from './cases.ts';
import { METRICS, metricInfo } from './metrics/catalog.ts';
import { decide, emptyMatrix } from './metrics/decision.ts';
import { faithfulness } from './metrics/faithfulness.ts';
import { answerKey, type RunRecords } from './run.ts';
import { type Case, KINDS, type Metric, type RefusalMatrix, SCHEMA_VERSION, SPLITS, type Summary } from './schema.ts';
import { type Scores, scoreCases, takeAllApart, verdictsByAnswer } from './score.ts';
import { meanInterval } from './stats/mean-interval.ts';

export function summarise(records: RunRecords): Summary {
  const { cases, manifest } = records;
  const { provider, model, search } = manifest.service;
  return {
    v: SCHEMA_VERSION,
    cases: {
      count: cases.length,
      hash: casesHash(cases),
      by_kind: countBy(cases, (item) => item.kind),
      by_split: countBy(cases, (item) => item.split),
    },
    runs: manifest.runs,
    service: { provider, model, search },
    metrics: summariseScores(scoreCases(records), cases),
    refusals: Object.fromEntries(slicesOf(cases).map(([slice, members]) => [slice, matrixOf(records, members)])),
    judging: judgingOf(records),
    usage: usageOf(records),
  };
}

/** `overall`, then by kind and by split, each with the cases in it. */
export function slicesOf(cases: readonly Case[]): [string, Case[]][] {
  const kinds = KINDS.map((kind): [string, Case[]] => [`kind:${kind}`, cases.filter((item) => item.kind === kind)]);
  const splits = SPLITS.map((split): [string, Case[]] => [
    `split:${split}`,
    cases.filter((item) => item.split === split),
  ]);
  return [['overall', [...cases]], ...[...kinds, ...splits].filter(([, members]) => members.length > 0)];
}

/** Cases that answer from the same file are not independent: a case belongs to its first labelled file, else to itself. */
export function clusterOf(item: Case): string {
  return item.files[0] ?? `case:${item.id}`;
}

/** The mean over a case's repetitions, those without a score left out; null when none has one. */
export function caseMean(runs: readonly (number | null)[]): number | null {
  const known = runs.filter((score) => score !== null);
  return known.length === 0 ? null : known.reduce((sum, score) => sum + score, 0) / known.length;
}

function summariseScores(scores: Scores, cases: Case[]): Metric[] {
  const order = new Map(METRICS.map((metric, index) => [metric.name, index]));
  const rank = (name: string) => order.get(name) ?? METRICS.length;
  const names = [...scores.keys()].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return names
    .flatMap((name) => slicesOf(cases).map(([slice, members]) => summariseMetric(name, slice, members, scores)))
    .filter((metric) => metric.n > 0 || metric.slice === 'overall');
}

function summariseMetric(name: string, slice: string, members: Case[], scores: Scores): Metric {
  const info = metricInfo(name);
  const perCase = scores.get(name);
  const scored = members.flatMap((item) => {
    const value = caseMean(perCase?.get(item.id) ?? []);
    return value === null ? [] : [{ value, cluster: clusterOf(item) }];
  });
  const base = { name, slice, n: scored.length, direction: info?.direction ?? ('higher' as const) };
  if (scored.length === 0) return { ...base, value: null, low: null, high: null, method: 'none' };
  const values = scored.map((item) => item.value);
  const clusters = scored.map((item) => item.cluster);
  const interval = meanInterval(values, {
    clusters,
    binary: info?.binary === true && values.every((item) => item === 0 || item === 1),
  });
  const value = values.reduce((sum, item) => sum + item, 0) / values.length;
  return { ...base, value: tidy(value), low: tidy(interval.low), high: tidy(interval.high), method: interval.method };
}

function matrixOf(records: RunRecords, members: Case[]): RefusalMatrix {
  const byId = new Map(members.map((item) => [item.id, item]));
  const matrix = emptyMatrix();
  for (const record of records.answers) {
    const item = byId.get(record.case_id);
    if (item !== undefined) matrix[decide(item, record)] += 1;
  }
  return matrix;
}

/** Every verdict that should be there is either judged or counted as unjudged, whether its record is missing or says so. */
function judgingOf(records: RunRecords): Summary['judging'] {
  const apart = [...takeAllApart(records).values()].filter((item) => item.spoke);
  return records.manifest.judges.map((judge) => {
    const verdicts = verdictsByAnswer(records, judge);
    const results = apart.map((item) => faithfulness(item, verdicts.get(answerKey(item.record)) ?? []));
    const sum = (of: (result: (typeof results)[number]) => number) =>
      results.reduce((total, item) => total + of(item), 0);
    const [expected, judged] = [sum((item) => item.expected), sum((item) => item.judged)];
    return {
      judge: judge.name,
      model: judge.model,
      expected,
      judged,
      unjudged: expected - judged,
      faithfulness: meanOf(results.map((item) => item.value)),
      worst: meanOf(results.map((item) => item.worst)),
      best: meanOf(results.map((item) => item.best)),
    };
  });
}

function usageOf({ answers }: RunRecords): Summary['usage'] {
  const said = answers.flatMap((record) => record.answer ?? []);
  const usage = said.flatMap((answer) => answer.usage ?? []);
  const costs = said.map((answer) => answer.cost_usd);
  const total = (of: (item: (typeof usage)[number]) => number) => usage.reduce((sum, item) => sum + of(item), 0);
  return {
    answers: said.length,
    with_usage: usage.length,
    prompt_tokens: total((item) => item.prompt_tokens),
    completion_tokens: total((item) => item.completion_tokens),
    cached_tokens: total((item) => item.cached_tokens ?? 0),
    cost_usd: costs.some((cost) => cost === null)
      ? null
      : tidy(costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0)),
  };
}

function meanOf(values: (number | null)[]): number | null {
  const mean = caseMean(values);
  return mean === null ? null : tidy(mean);
}

/** Ten digits: the last bits of a sum depend on its order. */
function tidy(value: number): number {
  return Number(value.toPrecision(10));
}

function countBy(cases: Case[], key: (item: Case) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of cases) counts[key(item)] = (counts[key(item)] ?? 0) + 1;
  return counts;
}
