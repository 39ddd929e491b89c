/**
 * Joins the two rankings: the scores of each half are stretched to 0..1 over the candidates of both and added by weight.
 * What else was tried, with numbers, stands in docs/retrieval.md. Pure.
 */
import type { Scored } from './lexical.ts';

export interface Fused {
  id: number;
  cosine: number | null;
  bm25: number | null;
  /** 0 to 1. */
  fusion: number;
}

export const DENSE_WEIGHT = 0.5;

/**
 * Best first. Both halves score every candidate of either: one that a half does not name has no word of the question, or
 * no vector.
 */
export function fuse(words: readonly Scored[], near: readonly Scored[], weight: number = DENSE_WEIGHT): Fused[] {
  const ids = [...new Set([...words, ...near].map(({ id }) => id))];
  const [bm25, cosine] = [stretched(words, ids.length), stretched(near, near.length)];
  const fused = ids.map((id) => ({
    id,
    cosine: cosine.scores.get(id) ?? null,
    bm25: bm25.scores.get(id) ?? null,
    fusion: (1 - weight) * bm25.share(id) + weight * cosine.share(id),
  }));
  return fused.sort((a, b) => b.fusion - a.fusion || a.id - b.id);
}

/** 0 is the least score of all `count` candidates; those that are not scored have none, which is no score below it. */
function stretched(scored: readonly Scored[], count: number) {
  const scores = new Map(scored.map(({ id, score }) => [id, score]));
  const least = count > scored.length ? 0 : (scored.at(-1)?.score ?? 0);
  const span = (scored[0]?.score ?? 0) - least;
  const share = (id: number) => {
    const score = scores.get(id);
    return score === undefined ? 0 : span > 0 ? (score - least) / span : 1;
  };
  return { scores, share };
}
