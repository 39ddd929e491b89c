/**
 * The evidence gate: is there a passage that has to do with the question at all? How its thresholds were chosen, and what
 * they let through and hold back, stands in docs/retrieval.md. Pure.
 */
import type { Passage } from '../contract.ts';
import type { Query } from './text/query.ts';
import { tokenize, type Word } from './text/tokens.ts';

export interface Evidence {
  /** Cosine of the nearest passage; null when the search was by words alone. */
  cosine: number | null;
  /** Share of the question's words, weighted by their rarity, that the best passages have between them. */
  coverage: number;
}

export interface Gate {
  off: boolean;
  /** Least top cosine, set from outside. */
  minCosine: number | undefined;
  /** Least sum of top cosine and coverage. */
  minSum: number;
  /** Least coverage when there is no cosine. */
  minCoverage: number;
  /** For people. */
  text(hybrid: boolean): string;
}

export const DEFAULT_MIN_SUM = 0.75;
export const DEFAULT_MIN_COVERAGE = 0.3;
/** How many of the best passages are looked at together: a question in a user's words is met by several, by none alone. */
export const DEPTH = 10;

/** The gate of an index: its calibrated thresholds where it has them; CRAG_MIN_COSINE goes before both. */
export function gateOf(meta: Readonly<Record<string, string>>, minCosine: number | undefined): Gate {
  const minSum = Number(meta.gate_sum ?? DEFAULT_MIN_SUM);
  const minCoverage = Number(meta.gate_coverage ?? DEFAULT_MIN_COVERAGE);
  const off = minCosine === -1;
  const text = (hybrid: boolean) => {
    if (off) return 'off';
    if (hybrid && minCosine !== undefined) return `top cosine >= ${minCosine} (set from outside)`;
    const calibrated = (hybrid ? meta.gate_sum : meta.gate_coverage) === undefined ? 'default' : 'calibrated';
    return hybrid ? `cosine + coverage >= ${minSum} (${calibrated})` : `coverage >= ${minCoverage} (${calibrated})`;
  };
  return { off, minCosine, minSum, minCoverage, text };
}

/** One number for how strong the evidence is: what the gate compares, and what calibration puts a threshold on. */
export function strengthOf({ cosine, coverage: covered }: Evidence): number {
  return (cosine ?? 0) + covered;
}

export function passes(evidence: Evidence, gate: Gate): boolean {
  if (gate.off) return true;
  if (evidence.cosine === null) return strengthOf(evidence) >= gate.minCoverage;
  return gate.minCosine === undefined ? strengthOf(evidence) >= gate.minSum : evidence.cosine >= gate.minCosine;
}

/** `passages`: the best ones, at least DEPTH of them where there are so many, however few the caller wants. */
export function evidenceOf(
  query: Query,
  passages: readonly Passage[],
  idf: (token: string) => number,
  cosine: number | null,
): Evidence {
  const texts = passages.slice(0, DEPTH).flatMap((passage) => [passage.title, ...passage.heading, passage.text]);
  return { cosine, coverage: coverage(query, texts.join('\n'), idf) };
}

/**
 * How much of the question's weight, by rarity of its words, the text has: 0 to 1. An identifier counts as found when it
 * stands there as a whole, and in part for its parts. 0 when the question has no words.
 */
export function coverage(query: Query, text: string, idf: (token: string) => number): number {
  const present = new Set(tokenize(text));
  let found = 0;
  let all = 0;
  for (const word of distinct(query.words)) {
    const weight = weigh(word, idf);
    all += weight;
    found += weight * shareOf(word, present);
  }
  return all === 0 ? 0 : found / all;
}

function shareOf({ tokens, cjk }: Word, present: ReadonlySet<string>): number {
  const [whole = ''] = tokens;
  if (!cjk && present.has(whole)) return 1;
  return tokens.filter((token) => present.has(token)).length / tokens.length;
}

function weigh({ tokens }: Word, idf: (token: string) => number): number {
  return tokens.reduce((sum, token) => sum + idf(token), 0) / tokens.length;
}

function distinct(list: readonly Word[]): Word[] {
  return [...new Map(list.map((word) => [word.whole, word])).values()];
}
