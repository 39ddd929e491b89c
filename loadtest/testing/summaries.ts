import type { PointSummary } from '../result.ts';

export function pointSummary(changes: Partial<PointSummary> = {}): PointSummary {
  const times = { p50: 400, p95: 900, max: 1000, mean: 500 };
  return {
    users: 4,
    answersInWindow: 50,
    windowS: 50,
    answered: 60,
    refusedByGate: 0,
    refusedByModel: 2,
    rejected: 0,
    failed: 0,
    broken: 0,
    stillWaiting: 0,
    ttftMs: times,
    retrievalMs: { p50: 10, p95: 20, max: 30, mean: 12 },
    answerMs: { p50: 3900, p95: 4800, max: 5000, mean: 4000 },
    waitMs: { p50: 3900, p95: 4800, max: 5000, mean: 4000 },
    promptTokens: 1300,
    cachedTokens: 200,
    completionTokens: 75,
    waitByUser: [4000, 4000, 4000, 5000],
    thresholdsMet: true,
    ...changes,
  };
}
