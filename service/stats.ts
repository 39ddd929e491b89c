/** Counts since the start, and percentiles over the last thousand answers. Holds no question and no text. */
import type { Answer, Stage, Stats } from './contract.ts';

const REMEMBERED = 1000;

export interface StatsRecorder {
  done(answer: Answer): void;
  failed(stage: Stage): void;
  cancelled(): void;
  rejected(): void;
  read(): Stats;
}

export function createStats(now: () => number = () => Date.now()): StatsRecorder {
  const started = now();
  const recent: Answer[] = [];
  const counts = { answers: 0, refusals: { gate: 0, model: 0 }, cancelled: 0, rejected: 0 };
  const errors = { retrieval: 0, generation: 0, internal: 0 };
  return {
    done(answer) {
      counts.answers += 1;
      if (answer.refusal !== null) counts.refusals[answer.refusal] += 1;
      // Only the numbers are kept: a thousand answers with their evidence would be megabytes.
      recent.push({ ...answer, answer: '', evidence: [], nearest: [] });
      if (recent.length > REMEMBERED) recent.shift();
    },
    failed(stage) {
      errors[stage] += 1;
    },
    cancelled() {
      counts.cancelled += 1;
    },
    rejected() {
      counts.rejected += 1;
    },
    read: () => ({
      uptime_s: Math.round((now() - started) / 1000),
      ...counts,
      refusals: { ...counts.refusals },
      errors: { ...errors },
      window: summarize(recent),
    }),
  };
}

function summarize(recent: readonly Answer[]): Stats['window'] {
  const stage = (pick: (answer: Answer) => number | null) =>
    percentiles(recent.flatMap((answer) => pick(answer) ?? []));
  const sum = (pick: (answer: Answer) => number | null | undefined) =>
    recent.reduce((total, answer) => total + (pick(answer) ?? 0), 0);
  return {
    answers: recent.length,
    retrieval_ms: stage((answer) => answer.timings.retrieval_ms),
    ttft_ms: stage((answer) => answer.timings.ttft_ms),
    generation_ms: stage((answer) => answer.timings.generation_ms),
    total_ms: stage((answer) => answer.timings.total_ms),
    prompt_tokens: sum((answer) => answer.usage?.prompt_tokens),
    completion_tokens: sum((answer) => answer.usage?.completion_tokens),
    cached_tokens: sum((answer) => answer.usage?.cached_tokens),
    cost_usd: sum((answer) => answer.cost_usd),
    usage_unknown: recent.filter((answer) => answer.usage === null).length,
  };
}

/** Nearest-rank percentiles; null without values. */
function percentiles(values: readonly number[]): { p50: number | null; p95: number | null } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
  return { p50: at(0.5), p95: at(0.95) };
}
