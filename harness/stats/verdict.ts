/**
 * The verdict on a change, over all metrics that gate.
 *   IDENTICAL     every pair is equal
 *   REGRESSION    p of a drop below 5%, adjusted over the metrics by Holm; with one run a side the drop must also exceed the recorded noise
 *   NON-INFERIOR  lower bound above -margin; no adjustment, since every metric has to pass (intersection-union, Berger 1982)
 *   INCONCLUSIVE  neither: never a pass
 *   INVALID       nothing to compare, or pairs are missing
 */
import type { Comparison, RecordedNoise } from './comparison.ts';
import { holm } from './holm.ts';
import { SMALLEST_N } from './mean-interval.ts';

export const VERDICTS = ['INVALID', 'REGRESSION', 'INCONCLUSIVE', 'NON-INFERIOR', 'IDENTICAL'] as const;
export type Verdict = (typeof VERDICTS)[number];

const LEVEL = 0.05;

export interface Judged {
  verdict: Verdict;
  /** One-sided p of a drop, adjusted over the gating metrics. */
  pAdjusted: number;
  /** A certain drop that is smaller than the margin allows. */
  withinMargin: boolean;
  /** Why, where the verdict alone does not say. */
  reason: string | null;
}

export interface Gated {
  /** Null when there was no pair. */
  comparison: Comparison | null;
  margin: number;
  noise?: RecordedNoise | undefined;
  /** Why pairs that should be there are not; null or absent when none is missing. */
  missing?: string | null;
}

/** One verdict per metric, in the order given. */
export function judgeMetrics(metrics: readonly Gated[]): Judged[] {
  const adjusted = holm(metrics.map(({ comparison }) => comparison?.p ?? 1));
  return metrics.map((metric, i) => judgeOne(metric, adjusted[i] ?? 1));
}

/** The worst verdict decides; all IDENTICAL is IDENTICAL, some is NON-INFERIOR. */
export function overallVerdict(verdicts: readonly Verdict[]): Verdict {
  return VERDICTS.find((verdict) => verdicts.includes(verdict)) ?? 'INVALID';
}

function judgeOne({ comparison, margin, noise, missing = null }: Gated, pAdjusted: number): Judged {
  const found = (verdict: Verdict, reason: string | null = null, withinMargin = false): Judged => ({
    verdict,
    pAdjusted,
    withinMargin,
    reason,
  });
  if (comparison === null) return found('INVALID', 'no case has a score on both sides');
  if (missing !== null) return found('INVALID', missing);
  if (comparison.identical) return found('IDENTICAL');
  if (comparison.n < SMALLEST_N) {
    return found('INCONCLUSIVE', `only ${comparison.n} pairs; a metric gates from ${SMALLEST_N} pairs on`);
  }
  const nonInferior = comparison.low > -margin;
  if (comparison.difference < 0 && pAdjusted < LEVEL) {
    const insideNoise = isInsideNoise(comparison, noise);
    if (!insideNoise) return found('REGRESSION', null, nonInferior);
    if (!nonInferior)
      return found('INCONCLUSIVE', 'the drop is no larger than the recorded noise between runs of the same code');
  }
  return found(nonInferior ? 'NON-INFERIOR' : 'INCONCLUSIVE');
}

function isInsideNoise(comparison: Comparison, noise: RecordedNoise | undefined): boolean {
  const single = comparison.runs.base === 1 && comparison.runs.new === 1;
  return single && noise !== undefined && -comparison.difference <= noise.gap;
}
