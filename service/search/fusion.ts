/**
 * Joins the two rankings: each half's scores are stretched to 0..1 over its candidates and added half and half. What
 * else was tried, with numbers, stands in docs/retrieval.md. Pure.
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

/** Best first. A candidate that one half did not find has that half's least score. */
export function fuse(lexical: readonly Scored[], dense: readonly Scored[], weight: number = DENSE_WEIGHT): Fused[] {
  const bm25 = new Map(lexical.map(({ id, score }) => [id, score]));
  const cosine = new Map(dense.map(({ id, score }) => [id, score]));
  const [words, meaning] = [stretched(lexical), stretched(dense)];
  const fused = [...new Set([...bm25.keys(), ...cosine.keys()])].map((id) => ({
    id,
    cosine: cosine.get(id) ?? null,
    bm25: bm25.get(id) ?? null,
    fusion: (1 - weight) * (words.get(id) ?? 0) + weight * (meaning.get(id) ?? 0),
  }));
  return fused.sort((a, b) => b.fusion - a.fusion || a.id - b.id);
}

function stretched(scored: readonly Scored[]): Map<number, number> {
  const least = scored.at(-1)?.score ?? 0;
  const span = (scored[0]?.score ?? 0) - least;
  return new Map(scored.map(({ id, score }) => [id, span > 0 ? (score - least) / span : 1]));
}
