/** How the halves are joined: either alone, by rank, by score over each half's own list, and by both scores of every candidate. */
import type { Embedder } from '../../service/search/embed/embedder.ts';
import { DENSE_WEIGHT, fuse } from '../../service/search/fusion.ts';
import { byScore, type Scored } from '../../service/search/lexical.ts';
import { type Halves, halvesOf } from './halves.ts';
import type { StudySet } from './sets.ts';
import { sourcesOf, type Variant } from './table.ts';

/** Candidates of each half, as the service takes. */
const POOL = 100;

export async function studyFusion(sets: readonly StudySet[], model: Embedder | null): Promise<Variant[]> {
  const halves: Halves[][] = [];
  for (const set of sets) halves.push(await halvesOf(set, model));
  const variant = (name: string, rank: (found: Halves) => Pick<Scored, 'id'>[]): Variant => ({
    name,
    ranked: sets.map((set, at) => (halves[at] ?? []).map((found) => sourcesOf(set)(rank(found)))),
  });
  const words = variant('words', (found) => found.words.slice(0, POOL));
  if (model === null) return [words];
  return [
    variant(`best and mean, ${DENSE_WEIGHT} meaning (default)`, (found) => byBoth(found)),
    words,
    variant('meaning', ({ near }) => near.slice(0, POOL)),
    variant('reciprocal ranks, k=60', byRank),
    ...[0.4, 0.6, 0.7].map((weight) => variant(`best and mean, ${weight} meaning`, (found) => byBoth(found, weight))),
    variant(`best and mean, ${DENSE_WEIGHT} meaning, best 400`, (found) => byBoth(found, DENSE_WEIGHT, 400)),
    ...[0.4, 0.5, 0.6].map((weight) => variant(`own lists, ${weight} meaning`, (found) => byOwnLists(found, weight))),
    variant('own lists, 0.5 meaning, best 300', (found) => byOwnLists(found, 0.5, 300)),
    ...[0.5, 0.6, 0.7].map((weight) =>
      variant(`both scores, ${weight} meaning`, (found) => byBothScores(found, weight)),
    ),
  ];
}

/** As the service does. */
export function byBoth({ words, near }: Halves, weight = DENSE_WEIGHT, pool = POOL) {
  const cosines = new Map(near.map(({ id, score }) => [id, score]));
  const mean = near.reduce((sum, { score }) => sum + score, 0) / Math.max(1, near.length);
  const halves = { words, near: near.slice(0, pool), mean, cosineOf: (id: number) => cosines.get(id) ?? null };
  return fuse(halves, pool, weight);
}

/** Each half's scores over the list that it found: what it did not list counts as the worst there. */
function byOwnLists({ words, near }: Halves, weight: number, pool = POOL): Scored[] {
  const [bm25, cosine] = [words.slice(0, pool), near.slice(0, pool)].map((list) => stretched(list));
  return joined([words.slice(0, pool), near.slice(0, pool)], (id) => mixed(weight, bm25?.get(id), cosine?.get(id)));
}

/** Each half's scores over all candidates, also those it did not list itself. */
function byBothScores({ words, near }: Halves, weight: number): Scored[] {
  const lists = [words.slice(0, POOL), near.slice(0, POOL)];
  const ids = new Set(lists.flat().map(({ id }) => id));
  const [bm25, cosine] = [words, near].map((half) => {
    const known = new Map(half.map(({ id, score }) => [id, score]));
    // Without a word of the question, a passage has none of its score.
    const all = [...ids].map((id) => ({ id, score: known.get(id) ?? 0 }));
    return stretched(all);
  });
  return joined(lists, (id) => mixed(weight, bm25?.get(id), cosine?.get(id)));
}

function byRank({ words, near }: Halves): Scored[] {
  const lists = [words.slice(0, POOL), near.slice(0, POOL)];
  const ranks = lists.map((list) => new Map(list.map(({ id }, rank) => [id, 1 / (60 + rank + 1)])));
  return joined(lists, (id) => ranks.reduce((sum, rank) => sum + (rank.get(id) ?? 0), 0));
}

function mixed(weight: number, bm25 = 0, cosine = 0): number {
  return (1 - weight) * bm25 + weight * cosine;
}

/** 0 to 1 over the scores of the list. */
function stretched(list: readonly Scored[]): Map<number, number> {
  const scores = list.map(({ score }) => score);
  const [least, most] = [Math.min(...scores), Math.max(...scores)];
  return new Map(list.map(({ id, score }) => [id, most > least ? (score - least) / (most - least) : 1]));
}

function joined(lists: readonly (readonly Scored[])[], score: (id: number) => number): Scored[] {
  const ids = new Set(lists.flat().map(({ id }) => id));
  return [...ids].map((id) => ({ id, score: score(id) })).sort(byScore);
}
