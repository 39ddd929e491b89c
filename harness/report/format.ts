/** Numbers as the reports print them. */
import type { Metric } from '../schema.ts';

export function number(value: number | null): string {
  return value === null ? '–' : value.toFixed(3);
}

export function interval(metric: Pick<Metric, 'low' | 'high'>): string {
  return metric.low === null ? '–' : `[${number(metric.low)}, ${number(metric.high)}]`;
}

export const KIND_TITLES = {
  factual: 'factual',
  multi_source: 'multi-source',
  unanswerable: 'unanswerable',
  off_topic: 'off-topic',
} as const;

export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)}%`;
}
