/**
 * `gate floors`: the end of the baseline's interval, moved by the noise between runs, rounded outward to .05. A floor is a bound that a run
 * of the same code does not miss by bad luck; it finds collapse, while `gate compare` finds change.
 */
import { metricInfo } from '../metrics/catalog.ts';
import type { Metric } from '../schema.ts';
import { SMALLEST_N } from '../stats/mean-interval.ts';
import type { Floor, GateConfig } from './config.ts';

/** Bounded when gate.json names no floor yet. */
export const DEFAULT_FLOORS = [
  'recall@5',
  'ndcg@10',
  'context_recall',
  'key_fact_recall',
  'right_decision',
  'wrong_answer',
  'service_error',
  'citation_out_of_range',
  'citation_precision',
  'citation_recall',
  'misattribution',
  'faithfulness',
] as const;

const STEP = 0.05;

/** New bounds for the floors there are, or for the default metrics; metrics with too few cases are left out. */
export function proposeFloors(
  metrics: readonly Metric[],
  existing: readonly Floor[],
  noise: GateConfig['noise'],
): Floor[] {
  const wanted = existing.length > 0 ? existing : DEFAULT_FLOORS.map((metric) => ({ metric, slice: 'overall' }));
  return wanted.flatMap(({ metric, slice }) => {
    const found = metrics.find((item) => item.name === metric && item.slice === slice);
    return found === undefined || found.n < SMALLEST_N ? [] : boundOf(found, noise[metric]?.gap ?? 0);
  });
}

function boundOf({ name, slice, n, value, low, high }: Metric, gap: number): Floor[] {
  if (value === null || low === null || high === null) return [];
  const lowerIsBetter = metricInfo(name)?.direction === 'lower';
  const bound = lowerIsBetter ? roundOut(high + gap, Math.ceil) : roundOut(low - gap, Math.floor);
  const certain = value === 0 || value === 1;
  const reason = certain
    ? `all ${n} cases score ${value}: a bootstrap would call that certain, the bound is that of ${value === 1 ? n : 0} of ${n}`
    : undefined;
  return [
    {
      metric: name,
      slice,
      ...(lowerIsBetter ? { at_most: bound } : { at_least: bound }),
      ...(reason === undefined ? {} : { reason }),
    },
  ];
}

/** In steps of .05; a value that lies on a step but for the last bits stays there. */
function roundOut(x: number, round: (x: number) => number): number {
  const steps = x / STEP;
  const near = Math.round(steps);
  const rounded = (Math.abs(steps - near) < 1e-9 ? near : round(steps)) * STEP;
  return Number(Math.min(1, Math.max(0, rounded)).toFixed(2));
}
