/** Where the time went. Kept out of the summary, which must not change between two runs that said the same. */

import type { RunRecords } from './run.ts';
import { quantileSorted } from './stats/quantile.ts';

export interface StageTiming {
  stage: string;
  n: number;
  p50_ms: number;
  p95_ms: number;
}

/** By stage, as the service measured them, and as the harness saw them from outside. Milliseconds. */
export function timingsOf({ answers, retrievals }: RunRecords): StageTiming[] {
  const said = answers.flatMap((record) => (record.answer === null ? [] : [{ record, answer: record.answer }]));
  return [
    stage(
      'retrieval',
      said.map(({ answer }) => answer.timings.retrieval_ms),
    ),
    stage(
      'first token',
      said.flatMap(({ answer }) => answer.timings.ttft_ms ?? []),
    ),
    stage(
      'generation',
      said.filter(({ answer }) => answer.refusal !== 'gate').map(({ answer }) => answer.timings.generation_ms),
    ),
    stage(
      'total',
      said.map(({ answer }) => answer.timings.total_ms),
    ),
    stage(
      'first token, seen by the client',
      said.flatMap(({ record }) => record.client.ttft_ms ?? []),
    ),
    stage(
      'total, seen by the client',
      said.map(({ record }) => record.client.total_ms),
    ),
    stage(
      'search at k=10',
      retrievals.filter((record) => record.error === null).map((record) => record.retrieval_ms),
    ),
  ].filter((timing) => timing.n > 0);
}

function stage(name: string, values: number[]): StageTiming {
  const sorted = Float64Array.from(values).sort();
  const at = (p: number) => (sorted.length === 0 ? 0 : Math.round(quantileSorted(sorted, p) * 10) / 10);
  return { stage: name, n: sorted.length, p50_ms: at(0.5), p95_ms: at(0.95) };
}
