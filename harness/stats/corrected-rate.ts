/**
 * A rate of yes verdicts, corrected for the judge's own errors. Which correction is right depends on how the graded sample was drawn:
 * - at random: theta = (p + q0 - 1)/(q0 + q1 - 1) (Rogan and Gladen 1978), interval with pseudo-observations and shift of
 *   Lee et al. 2025 (arXiv 2511.21140). q0 specificity, q1 sensitivity.
 * - so many yes and so many no verdicts (stratified by verdict): theta = p PPV + (1-p)(1-NPV), interval by the delta method over
 *   the same pseudo-observations. Sensitivity cannot be estimated from such a sample; mixing the two gives nonsense above 1.
 * Smallest n: 1 verdict and 1 graded item of each kind. A judge no better than a coin (q0 + q1 <= 1) gives null.
 */
import { normalQuantile } from './distributions.ts';
import { CONFIDENCE } from './interval.ts';

export interface CorrectedRate {
  theta: number;
  low: number;
  high: number;
  method: string;
}

export interface JudgeOnRandomSample {
  /** Share of yes among `n` verdicts. */
  p: number;
  n: number;
  /** Specificity, from `m0` items a person says no to. */
  q0: number;
  m0: number;
  /** Sensitivity, from `m1` items a person says yes to. */
  q1: number;
  m1: number;
}

export function correctedRate(input: JudgeOnRandomSample, confidence: number = CONFIDENCE): CorrectedRate | null {
  const { p, n, q0, m0, q1, m1 } = input;
  if (n === 0 || m0 === 0 || m1 === 0 || q0 + q1 <= 1) return null;
  const z = normalQuantile(1 - (1 - confidence) / 2);
  const pa = addPseudo(p * n, n, (z * z) / 2);
  const s0 = addPseudo(q0 * m0, m0, 1);
  const s1 = addPseudo(q1 * m1, m1, 1);
  const gain = s0.rate + s1.rate - 1;
  const mid = (pa.rate + s0.rate - 1) / gain;
  const shift = 2 * z * z * (mid * s1.variance - (1 - mid) * s0.variance);
  const se = Math.sqrt(pa.variance + (1 - mid) ** 2 * s0.variance + mid ** 2 * s1.variance) / gain;
  return {
    theta: clamp((p + q0 - 1) / (q0 + q1 - 1)),
    low: clamp(mid + shift - z * se),
    high: clamp(mid + shift + z * se),
    method: 'Rogan-Gladen, random sample',
  };
}

export interface JudgeByStratum {
  /** Share of yes among `n` verdicts. */
  p: number;
  n: number;
  /** Of `gradedYes` graded yes verdicts, how many a person confirms; likewise for no. */
  confirmedYes: number;
  gradedYes: number;
  confirmedNo: number;
  gradedNo: number;
}

export function correctedRateByStratum(input: JudgeByStratum, confidence: number = CONFIDENCE): CorrectedRate | null {
  const { p, n, confirmedYes, gradedYes, confirmedNo, gradedNo } = input;
  // A stratum without verdicts needs no grades; one with verdicts does.
  if (n === 0 || (p > 0 && gradedYes === 0) || (p < 1 && gradedNo === 0)) return null;
  const z = normalQuantile(1 - (1 - confidence) / 2);
  const share = addPseudo(p * n, n, (z * z) / 2);
  const ppv = addPseudo(confirmedYes, gradedYes, 1);
  const missed = addPseudo(gradedNo - confirmedNo, gradedNo, 1);
  const mid = p * ppv.rate + (1 - p) * missed.rate;
  const variance =
    p ** 2 * ppv.variance + (1 - p) ** 2 * missed.variance + (ppv.rate - missed.rate) ** 2 * share.variance;
  const half = z * Math.sqrt(variance);
  const right = gradedYes === 0 ? 0 : confirmedYes / gradedYes;
  const wrong = gradedNo === 0 ? 0 : 1 - confirmedNo / gradedNo;
  return {
    theta: p * right + (1 - p) * wrong,
    low: clamp(mid - half),
    high: clamp(mid + half),
    method: 'by stratum of the verdict',
  };
}

/** A rate pulled towards a half by `each` yes and `each` no, and the variance of it. */
function addPseudo(k: number, n: number, each: number): { rate: number; variance: number } {
  const size = n + 2 * each;
  const rate = (k + each) / size;
  return { rate, variance: (rate * (1 - rate)) / size };
}

function clamp(x: number): number {
  return Math.min(1, Math.max(0, x));
}
