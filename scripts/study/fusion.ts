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
    variant(`own lists, ${DENSE_WEIGHT} meaning (default)`, (found) => byBoth(found)),
    words,
    variant('meaning', ({ near }) => near.slice(0, POOL)),
    variant('reciprocal ranks, k=60', byRank),
    ...[0.3, 0.4, 0.6, 0.7].map((weight) => variant(`own lists, ${weight} meaning`, (found) => byBoth(found, weight))),
    ...[0.4, 0.5, 0.6, 0.7].map((weight) =>
      variant(`both scores, ${weight} meaning`, (found) => byBothScores(found, weight)),
    ),
    ...[30, 300].map((pool) => variant(`own lists, best ${pool}`, (found) => byBoth(found, DENSE_WEIGHT, pool))),
  ];
}

/** Each half scores every candidate of either, also those it did not list itself. */
function byBothScores({ words, near }: Halves, weight: number): Scored[] {
  const ids = new Set([...words.slice(0, POOL), ...near.slice(0, POOL)].map(({ id }) => id));
  const share = (scored: readonly Scored[]) => {
    const known = new Map(scored.map(({ id, score }) => [id, score]));
    // Without a word of the question, a passage has none of its score.
    const values = [...ids].map((id) => known.get(id) ?? 0);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return (id: number) => (most > least ? ((known.get(id) ?? 0) - least) / (most - least) : 1);
  };
  const [bm25, cosine] = [share(words), share(near)];
  const joined = [...ids].map((id) => ({ id, score: (1 - weight) * bm25(id) + weight * cosine(id) }));
  return joined.sort(byScore);
}

/** As the service does. */
export function byBoth({ words, near }: Halves, weight = DENSE_WEIGHT, pool = POOL) {
  return fuse(words.slice(0, pool), near.slice(0, pool), near.length === 0 ? 0 : weight);
}

function byRank({ words, near }: Halves): Scored[] {
  const sum = new Map<number, number>();
  for (const list of [words.slice(0, POOL), near.slice(0, POOL)])
    for (const [rank, { id }] of list.entries()) sum.set(id, (sum.get(id) ?? 0) + 1 / (60 + rank + 1));
  return [...sum].map(([id, score]) => ({ id, score })).sort(byScore);
}
