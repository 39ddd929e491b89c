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
    variant(`both scores, ${DENSE_WEIGHT} meaning (default)`, (found) => byBoth(found, DENSE_WEIGHT)),
    words,
    variant('meaning', ({ near }) => near.slice(0, POOL)),
    variant('reciprocal ranks, k=60', byRank),
    ...[0.4, 0.5, 0.6].map((weight) => variant(`own lists, ${weight} meaning`, (found) => byOwn(found, weight))),
    ...[0.3, 0.4, 0.5, 0.6, 0.7, 0.8].map((weight) =>
      variant(`both scores, ${weight} meaning`, (found) => byBoth(found, weight)),
    ),
    ...[30, 300].map((pool) =>
      variant(`both scores, ${DENSE_WEIGHT}, best ${pool}`, (found) => byBoth(found, DENSE_WEIGHT, pool)),
    ),
  ];
}

/** As the service does: each half scores every candidate of either. */
export function byBoth({ words, near }: Halves, weight = DENSE_WEIGHT, pool = POOL) {
  const candidates = new Set([...words.slice(0, pool), ...near.slice(0, pool)].map(({ id }) => id));
  const among = (scored: readonly Scored[]) => scored.filter(({ id }) => candidates.has(id));
  return fuse(among(words), among(near), near.length === 0 ? 0 : weight);
}

/** A candidate that one half did not list counts there as its worst. */
function byOwn({ words, near }: Halves, weight: number): Scored[] {
  const sum = new Map<number, number>();
  for (const [list, share] of [
    [words.slice(0, POOL), 1 - weight],
    [near.slice(0, POOL), weight],
  ] as const) {
    const least = list.at(-1)?.score ?? 0;
    const span = (list[0]?.score ?? 0) - least;
    for (const { id, score } of list) sum.set(id, (sum.get(id) ?? 0) + share * (span > 0 ? (score - least) / span : 1));
  }
  return [...sum].map(([id, score]) => ({ id, score })).sort(byScore);
}

function byRank({ words, near }: Halves): Scored[] {
  const sum = new Map<number, number>();
  for (const list of [words.slice(0, POOL), near.slice(0, POOL)])
    for (const [rank, { id }] of list.entries()) sum.set(id, (sum.get(id) ?? 0) + 1 / (60 + rank + 1));
  return [...sum].map(([id, score]) => ({ id, score })).sort(byScore);
}
