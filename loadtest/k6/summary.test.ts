import { expect, it } from 'vitest';
import { pointSummarySchema } from '../result.ts';
import { type K6Data, summarize, userMetric } from './summary.ts';

const trend = (count: number, avg: number) => ({ values: { count, avg, med: avg, 'p(95)': 2 * avg, max: 3 * avg } });
const counter = (count: number) => ({ values: { count, rate: 1 } });

const data: K6Data = {
  metrics: {
    askdocs_answered: counter(12),
    askdocs_answers_in_window: counter(10.5),
    askdocs_rejected: counter(7),
    askdocs_broken: { ...counter(0), thresholds: { 'count==0': { ok: true } } },
    askdocs_ttft_ms: trend(12, 400),
    askdocs_wait_ms: trend(12, 2000),
    [userMetric(1)]: trend(7, 1000),
    [userMetric(2)]: trend(5, 3000),
    askdocs_prompt_tokens: trend(12, 1300),
  },
};

it('takes the numbers of a point out of the metrics of k6', () => {
  const summary = summarize(data, 2, 50);
  expect(summary).toMatchObject({ answered: 12, answersInWindow: 10.5, rejected: 7, failed: 0, thresholdsMet: true });
  expect(summary.ttftMs).toEqual({ p50: 400, p95: 800, max: 1200, mean: 400 });
  expect(summary.waitByUser).toEqual([1000, 3000]);
  expect(summary.retrievalMs).toBeNull();
  expect(summary.cachedTokens).toBeNull();
  expect(pointSummarySchema.parse(summary)).toEqual(summary);
});

it('says so when a threshold was crossed', () => {
  const crossed = { ...counter(1), thresholds: { 'count==0': { ok: false } } };
  expect(summarize({ metrics: { ...data.metrics, askdocs_broken: crossed } }, 2, 50)).toMatchObject({
    broken: 1,
    thresholdsMet: false,
  });
});
