import { readFileSync } from 'node:fs';

/** What scripts/reference/generate.py wrote, as far as the tests read it. */
export interface Reference {
  distributions: Record<'normal_quantile' | 'normal_cdf' | 't_quantile' | 't_cdf' | 'beta_quantile', number[][]>;
  proportions: { k: number; n: number; confidence: number; wilson: number[]; clopper_pearson: number[] }[];
  bootstraps: {
    name: string;
    scores: number[];
    percentile: number[];
    bca: number[];
    acceleration: number;
    t: number[];
  }[];
  agreement: {
    table: [[number, number], [number, number]];
    agreement: number;
    kappa: number;
    se: number;
    low: number;
    high: number;
    ac1: number;
  }[];
  corrected_rates: Record<'p' | 'q0' | 'q1' | 'n' | 'm0' | 'm1' | 'theta' | 'low' | 'high', number>[];
  comparisons: {
    mcnemar_two_sided: { b: number; c: number; p: number }[];
    mcnemar_one_sided: { b: number; c: number; p: number }[];
    newcombe: { cells: number[]; result: number[] }[];
    sign_flip: { d: number[]; p: number }[];
    within_cases: { base: number[]; new: number[]; runs: number; p: number }[];
    holm: { p: number[]; adjusted: number[] };
    holm_unordered: { p: number[]; adjusted: number[] };
    mde: { n: number; omega2: number; sigma2: number; runs: number; sides: 1 | 2; mde: number }[];
    welch: { a: number[]; b: number[]; df: number; se: number; low90: number; high90: number };
  };
}

export const reference = JSON.parse(
  readFileSync(new URL('../../../scripts/reference/statistics.json', import.meta.url), 'utf8'),
) as Reference;
