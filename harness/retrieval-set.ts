/** Retrieval measured on a labelled set: documents ranked by their best passage, scored as ir-measures scores them. */
import type { Passage } from '../service/contract.ts';
import type { Qrels } from './beir.ts';
import { averagePrecision } from './metrics/average-precision.ts';
import { reciprocalRank } from './metrics/mrr.ts';
import { ndcgAt } from './metrics/ndcg.ts';
import { recallAt } from './metrics/recall.ts';
import { meanInterval } from './stats/mean-interval.ts';

/** How many documents of each query are ranked. */
export const DEPTH = 100;

export interface RankedDocument {
  id: string;
  /** Falls strictly from rank to rank, also as 32-bit number, which trec_eval reads: every tool orders the run as it was ranked. */
  score: number;
}

export interface SetMetric {
  name: string;
  value: number;
  low: number;
  high: number;
  n: number;
}

/** `passages` are ranked, best first; a document stands where its best passage does. */
export function rankDocuments(passages: readonly Passage[], depth = DEPTH): RankedDocument[] {
  const ranked: RankedDocument[] = [];
  const seen = new Set<string>();
  for (const passage of passages) {
    if (ranked.length === depth) break;
    if (seen.has(passage.source)) continue;
    seen.add(passage.source);
    const score = Math.fround(passage.fusion ?? passage.bm25 ?? passage.cosine ?? 0);
    const last = ranked.at(-1)?.score;
    const falls = last === undefined || score < last;
    // Neighbours of 32 bits are 1.2e-7 of their size apart at most.
    ranked.push({
      id: passage.source,
      score: falls ? score : Math.fround(last - Math.max(1e-9, Math.abs(last) * 2e-7)),
    });
  }
  return ranked;
}

/** Over every query of the qrels: one without an answer, or without a relevant document, scores 0, as in trec_eval. */
export function measureSet(run: ReadonlyMap<string, readonly string[]>, qrels: Qrels): SetMetric[] {
  return MEASURES.map(([name, measure]) => {
    const scores = [...qrels].map(([query, gains]) => measure(run.get(query) ?? [], gains) ?? 0);
    const value = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    // Beyond this many queries the third digit of the interval no longer depends on the resamples.
    const { low, high } = meanInterval(scores, { resamples: scores.length > 2000 ? 1000 : 10_000 });
    return { name, value, low, high, n: scores.length };
  });
}

/** `qid Q0 docid rank score tag`; nine digits tell all numbers of 32 bits apart. */
export function toTrec(query: string, ranked: readonly RankedDocument[], tag: string): string {
  return ranked
    .map(({ id, score }, index) => `${query} Q0 ${id} ${index + 1} ${Number(score.toPrecision(9))} ${tag}\n`)
    .join('');
}

type Measure = (ranked: readonly string[], gains: ReadonlyMap<string, number>) => number | null;

const MEASURES: [string, Measure][] = [
  ...[1, 3, 5, 10, 100].map((k): [string, Measure] => [
    `recall@${k}`,
    (ranked, gains) => recallAt(k, ranked, relevant(gains)),
  ]),
  ['nDCG@10', (ranked, gains) => ndcgAt(10, ranked, gains)],
  ['MRR@10', (ranked, gains) => reciprocalRank(10, ranked, relevant(gains))],
  ['MAP', (ranked, gains) => averagePrecision(ranked, relevant(gains))],
];

function relevant(gains: ReadonlyMap<string, number>): Set<string> {
  return new Set([...gains].filter(([, gain]) => gain > 0).map(([document]) => document));
}
