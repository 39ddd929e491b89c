/** From the metrics k6 hands over at the end to the numbers of one point. Plain: k6 and the tests run it. */

type Values = Record<string, number>;
/** k6's own shape, as far as it is read here; the same in k6 1 and 2. */
export interface K6Data {
  metrics: Record<string, { values: Values; thresholds?: Record<string, { ok: boolean }> }>;
}

export interface Percentiles {
  p50: number;
  p95: number;
  max: number;
  mean: number;
}

export interface PointSummary {
  users: number;
  /** Answers that ended whole in the measured window, parts counted as parts. */
  answersInWindow: number;
  windowS: number;
  /** All requests of the test, the edges included. */
  answered: number;
  refusedByGate: number;
  refusedByModel: number;
  rejected: number;
  failed: number;
  broken: number;
  /** Questions still waiting for a slot when the test ended; their wait counts. */
  stillWaiting: number;
  ttftMs: Percentiles | null;
  retrievalMs: Percentiles | null;
  answerMs: Percentiles | null;
  waitMs: Percentiles | null;
  /** Means per answer; null without answers. */
  promptTokens: number | null;
  cachedTokens: number | null;
  completionTokens: number | null;
  /** Mean wait of each user, first try to answer, in ms. */
  waitByUser: (number | null)[];
  thresholdsMet: boolean;
}

export function summarize(data: K6Data, users: number, windowS: number): PointSummary {
  const count = (name: string) => data.metrics[name]?.values.count ?? 0;
  const trend = (name: string) => percentiles(data.metrics[name]?.values);
  const mean = (name: string) => trend(name)?.mean ?? null;
  return {
    users,
    answersInWindow: count('askdocs_answers_in_window'),
    windowS,
    answered: count('askdocs_answered'),
    refusedByGate: count('askdocs_refused_by_gate'),
    refusedByModel: count('askdocs_refused_by_model'),
    rejected: count('askdocs_rejected'),
    failed: count('askdocs_failed'),
    broken: count('askdocs_broken'),
    stillWaiting: count('askdocs_still_waiting'),
    ttftMs: trend('askdocs_ttft_ms'),
    retrievalMs: trend('askdocs_retrieval_ms'),
    answerMs: trend('askdocs_answer_ms'),
    waitMs: trend('askdocs_wait_ms'),
    promptTokens: mean('askdocs_prompt_tokens'),
    cachedTokens: mean('askdocs_cached_tokens'),
    completionTokens: mean('askdocs_completion_tokens'),
    waitByUser: Array.from({ length: users }, (_, i) => mean(userMetric(i + 1))),
    thresholdsMet: Object.values(data.metrics).every((metric) =>
      Object.values(metric.thresholds ?? {}).every(({ ok }) => ok),
    ),
  };
}

/** The wait of one user, as k6 names it. */
export function userMetric(user: number): string {
  return `askdocs_wait_ms{user:${user}}`;
}

function percentiles(values: Values | undefined): Percentiles | null {
  if (values === undefined || (values.count ?? 0) === 0) return null;
  return { p50: values.med ?? 0, p95: values['p(95)'] ?? 0, max: values.max ?? 0, mean: values.avg ?? 0 };
}
