import { expect, test } from 'vitest';
import { judgeRun } from './judge.ts';
import { lexicalJudge } from './judges/lexical.ts';
import { METRICS, metricInfo } from './metrics/catalog.ts';
import { renderMarkdown } from './report/markdown.ts';
import { readRun } from './run.ts';
import { scoreCases } from './score.ts';
import { summarise } from './summary.ts';
import { say } from './testing/fake-service.ts';
import { A, answeredRun, B, CASES, goodReply, makeCase } from './testing/fixtures.ts';
import { timingsOf } from './timings.ts';

async function judged(...args: Parameters<typeof answeredRun>): Promise<string> {
  const dir = await answeredRun(...args);
  await judgeRun({ dir, judge: lexicalJudge(), signal: new AbortController().signal });
  return dir;
}

test('scores are kept per case and repetition', async () => {
  const records = readRun(
    await judged(
      (question, nth) =>
        question.includes('two') && nth > 4 ? say('Alpha is 5 [1].', [A, B]) : goodReply(question, nth),
      CASES,
      2,
    ),
  );
  const scores = scoreCases(records);
  expect(scores.get('right_decision')?.get('none')).toEqual([1, 1]);
  expect(scores.get('key_fact_recall')?.get('none')).toEqual([null, null]);
  expect(scores.get('key_fact_recall')?.get('two')?.toSorted()).toEqual([0.5, 1]);
  expect(scores.get('recall@1')?.get('two')).toEqual([0.5, 0.5]);
  expect(scores.get('faithfulness')?.get('off')).toEqual([null, null]);
});

test('every metric of the catalogue is computed, overall and by slice, in one order', async () => {
  const summary = summarise(readRun(await judged()));
  const overall = summary.metrics.filter((metric) => metric.slice === 'overall').map((metric) => metric.name);
  expect(overall).toEqual(METRICS.map((metric) => metric.name));
  const slices = new Set(summary.metrics.map((metric) => metric.slice));
  expect([...slices].sort()).toEqual([
    'kind:factual',
    'kind:multi_source',
    'kind:off_topic',
    'kind:unanswerable',
    'overall',
    'split:dev',
    'split:test',
  ]);
  expect(summary.cases).toMatchObject({
    count: 4,
    by_kind: { factual: 1, multi_source: 1, unanswerable: 1, off_topic: 1 },
  });
});

test('a metric that nothing has a score for is null, never NaN', async () => {
  const summary = summarise(readRun(await answeredRun(() => ({ raw: '' }))));
  expect(JSON.stringify(summary)).not.toMatch(/NaN|Infinity/);
  expect(summary.metrics.find((metric) => metric.name === 'citation_precision')).toMatchObject({
    n: 0,
    value: null,
    low: null,
    method: 'none',
  });
  expect(summary.refusals.overall).toEqual({
    answered: 0,
    wrong_refusal: 0,
    correct_refusal: 0,
    wrongly_answered: 0,
    error: 4,
  });
});

test('every interval holds its value', async () => {
  for (const { value, low, high } of summarise(readRun(await judged())).metrics) {
    if (value === null) continue;
    expect(low).toBeLessThanOrEqual(value);
    expect(high).toBeGreaterThanOrEqual(value);
  }
});

test('the same records give the same bytes, whatever the order they were written in; another run of the same answers too', async () => {
  const [first, second] = [readRun(await judged()), readRun(await judged())];
  expect(JSON.stringify(summarise(second))).toBe(JSON.stringify(summarise(first)));
  expect(renderMarkdown(second, summarise(second))).toBe(renderMarkdown(first, summarise(first)));
  expect(timingsOf(first).map((timing) => timing.stage)).toContain('first token, seen by the client');
});

test('the report lists what went wrong, with escaped text', async () => {
  const dir = await judged((question, nth) =>
    question.includes('two')
      ? say('The <b>moon</b> rises | fast [1].', [A, B])
      : goodReply(question.replace('none', 'two'), nth),
  );
  const records = readRun(dir);
  const report = renderMarkdown(records, summarise(records));
  expect(report).toContain(
    '- `two`: does not state "Alpha is 5"; does not state "Beta is 7"; unsupported: "The &lt;b&gt;moon',
  );
  expect(report).toContain('- `none`: answered what the documents do not answer');
  expect(report).not.toMatch(/\d{4}-\d{2}-\d{2}/);
});

test('10,000 resamples of all metrics on 80 cases take less than a second', async () => {
  const cases = Array.from({ length: 80 }, (_, index) =>
    makeCase({
      id: `c${index}`,
      question: `Question ${index} about one?`,
      files: [`docs/${index % 40}.md`],
      also: ['docs/a.md'],
    }),
  );
  const records = readRun(
    await judged(
      (_, nth) =>
        nth % 3 === 0 ? say('Beta is 7 [2]. Alpha is 5.', [A, B]) : say('Alpha is 5 [1]. Gamma is 9 [2].', [A, B]),
      cases,
    ),
  );
  summarise(records);
  // The time of this process, so that another one on the machine does not fail the test.
  const before = process.cpuUsage();
  summarise(records);
  const used = process.cpuUsage(before);
  expect((used.user + used.system) / 1000).toBeLessThan(1000);
});

test('a further judge has a name and a title of its own', () => {
  expect(metricInfo('faithfulness@llm')?.title).toBe('faithfulness (judge llm)');
  expect(metricInfo('recall@5@llm')).toBeUndefined();
  expect(metricInfo('nonsense')).toBeUndefined();
});
