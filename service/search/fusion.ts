/**
 * Joins the two rankings. A passage's words count as a share of the best passage's; its cosine as where it stands between
 * the mean of the index, which is what a passage about something else has, and the nearest. Neither depends on how many
 * candidates were taken, so that a longer list begins like a shorter one. What else was tried, with numbers, stands in
 * docs/retrieval.md. Pure.
 */
import type { Scored } from './lexical.ts';

export interface Fused {
  id: number;
  cosine: number | null;
  bm25: number | null;
  /** 0 to 1. */
  fusion: number;
}

export interface Halves {
  /** Best first, deeper than the candidates: what the other half found has its score here too. */
  words: readonly Scored[];
  /** Best first. */
  near: readonly Scored[];
  /** Mean cosine of the index. */
  mean: number;
  /** Cosine of a passage that `near` does not hold. */
  cosineOf?: (id: number) => number | null;
}

/** Of meaning. */
export const DENSE_WEIGHT = 0.5;

/** Best first: the best `pool` of each half. A half that did not run counts nothing. */
export function fuse({ words, near, mean, cosineOf }: Halves, pool: number, weight = DENSE_WEIGHT): Fused[] {
  const bm25 = new Map(words.map(({ id, score }) => [id, score]));
  const cosine = new Map(near.map(({ id, score }) => [id, score]));
  const [most, nearest] = [words[0]?.score ?? 0, near[0]?.score ?? mean];
  const share = near.length === 0 ? 0 : words.length === 0 ? 1 : weight;
  const candidates = new Set([...words.slice(0, pool), ...near.slice(0, pool)].map(({ id }) => id));
  const fused = [...candidates].map((id) => {
    const own = cosine.get(id) ?? cosineOf?.(id) ?? null;
    const said = bm25.get(id) ?? null;
    const fusion = (1 - share) * part(said ?? 0, 0, most) + share * part(own ?? mean, mean, nearest);
    return { id, cosine: own, bm25: said, fusion };
  });
  return fused.sort((a, b) => b.fusion - a.fusion || a.id - b.id);
}

/** Where a value stands between two others: 0 to 1. */
function part(value: number, least: number, most: number): number {
  return most > least ? Math.max(0, (value - least) / (most - least)) : 1;
}
