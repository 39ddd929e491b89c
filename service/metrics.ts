/** `/metrics` for Prometheus: the same events as `/stats` counts, as counters and histograms that never reset. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Admission } from './admission.ts';
import type { Answer } from './contract.ts';
import type { StatsRecorder } from './stats.ts';

export interface Metrics {
  /** The same recorder, with every event counted here too. */
  count(stats: StatsRecorder): StatsRecorder;
  respond(): Promise<Response>;
}

/** Seconds: from a retrieval of some milliseconds to an answer of a small model on a slow machine. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

export function createMetrics(admission: Admission): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addSlots(registry, admission);
  const seen = addCounters(registry);
  return {
    count: (stats) => ({
      ...stats,
      done(answer) {
        seen.done(answer);
        stats.done(answer);
      },
      failed(stage) {
        seen.errors.inc({ stage });
        stats.failed(stage);
      },
      cancelled() {
        seen.cancelled.inc();
        stats.cancelled();
      },
      rejected() {
        seen.rejected.inc();
        stats.rejected();
      },
    }),
    async respond() {
      return new Response(await registry.metrics(), { headers: { 'content-type': registry.contentType } });
    },
  };
}

function addSlots(registry: Registry, admission: Admission): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge('askdocs_answers_in_flight', 'Answers being made now.', () => admission.inFlight());
  gauge('askdocs_slots', 'Answers that may be made at once.', () => admission.limit);
}

function addCounters(registry: Registry) {
  const counter = <T extends string>(name: string, help: string, labelNames: T[] = []) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const answers = counter('askdocs_answers_total', 'Answers that came to their end, refusals included.');
  const refusals = counter('askdocs_refusals_total', 'Answers that refused, by what refused.', ['kind']);
  const errors = counter('askdocs_errors_total', 'Answers that failed, by stage.', ['stage']);
  const tokens = counter('askdocs_tokens_total', 'Tokens as the model reported them.', ['type']);
  const unknown = counter('askdocs_usage_unknown_total', 'Answers whose tokens the model did not report.');
  const invalid = counter('askdocs_invalid_citations_total', 'Citations of sources that do not exist.');
  const truncated = counter('askdocs_truncated_total', 'Answers cut by the limit of tokens.');
  const cost = counter('askdocs_cost_usd_total', 'US dollars, by the configured prices.');
  // A series that is there from the start makes the first event visible as an increase.
  for (const kind of ['gate', 'model']) refusals.inc({ kind }, 0);
  for (const stage of ['retrieval', 'generation', 'internal']) errors.inc({ stage }, 0);
  for (const type of ['prompt', 'completion', 'cached']) tokens.inc({ type }, 0);
  const observe = addHistograms(registry);
  return {
    errors,
    cancelled: counter('askdocs_cancelled_total', 'Clients that left before the end.'),
    rejected: counter('askdocs_rejected_total', 'Questions refused with 503 because every slot was taken.'),
    done(answer: Answer) {
      answers.inc();
      if (answer.refusal !== null) refusals.inc({ kind: answer.refusal });
      invalid.inc(answer.invalid_citations.length);
      truncated.inc(answer.truncated ? 1 : 0);
      cost.inc(answer.cost_usd ?? 0);
      if (answer.usage === null) unknown.inc();
      else {
        tokens.inc({ type: 'prompt' }, answer.usage.prompt_tokens);
        tokens.inc({ type: 'completion' }, answer.usage.completion_tokens);
        tokens.inc({ type: 'cached' }, answer.usage.cached_tokens ?? 0);
      }
      observe(answer);
    },
  };
}

function addHistograms(registry: Registry): (answer: Answer) => void {
  const histogram = (name: string, help: string) =>
    new Histogram({ name, help, buckets: BUCKETS, registers: [registry] });
  const retrieval = histogram('askdocs_retrieval_duration_seconds', 'Time of the retrieval.');
  const first = histogram(
    'askdocs_time_to_first_token_seconds',
    'From the arrival of the question to the first token.',
  );
  const generation = histogram('askdocs_generation_duration_seconds', 'From the passages to the end of the answer.');
  const total = histogram('askdocs_answer_duration_seconds', 'From the arrival of the question to its end.');
  return ({ timings }) => {
    retrieval.observe(timings.retrieval_ms / 1000);
    if (timings.ttft_ms !== null) first.observe(timings.ttft_ms / 1000);
    generation.observe(timings.generation_ms / 1000);
    total.observe(timings.total_ms / 1000);
  };
}
