/** Scores per case and per repetition: what every mean, interval and comparison is computed from. */
import type { RunRecords } from './run.ts';

/** `scores.get(metric).get(caseId)[run - 1]`; null where the metric does not apply to that answer. */
export type Scores = Map<string, Map<string, (number | null)[]>>;

export function scoreCases(_records: RunRecords): Scores {
  return new Map();
}
