/**
 * What it costs that in a large index the rarest words of a question alone find candidates, and what it would cost to leave
 * the others out altogether: the bound is made smaller by as much as an index of each size would be larger than the set.
 */
import type { Embedder } from '../../service/search/embed/embedder.ts';
import { createBm25, DEFAULTS } from './bm25.ts';
import { byBoth } from './fusion.ts';
import { type Halves, halvesOf } from './halves.ts';
import type { StudySet } from './sets.ts';
import { sourcesOf, type Variant } from './table.ts';

const SIZES = [10_000, 30_000, 100_000, 300_000];

export async function studyCommon(sets: readonly StudySet[], model: Embedder | null): Promise<Variant[]> {
  const ways = SIZES.flatMap((size) => [
    { name: `as with ${size.toLocaleString('en')} passages`, size, scored: true },
    { name: `the same, words left out altogether`, size, scored: false },
  ]);
  const alone: Variant[] = [];
  const joined: Variant[] = [];
  for (const { name, size, scored } of [{ name: 'every word', size: 1, scored: true }, ...ways]) {
    const halves: Halves[][] = [];
    for (const set of sets) {
      halves.push(await halvesOf(set, model, createBm25(set.passages, { ...DEFAULTS, asIn: size, scored })));
    }
    const ranked = (rank: (found: Halves) => { id: number }[]) =>
      sets.map((set, at) => (halves[at] ?? []).map((found) => sourcesOf(set)(rank(found))));
    alone.push({ name: `words, ${name}`, ranked: ranked((found) => found.words.slice(0, 100)) });
    if (model !== null) joined.push({ name: `both, ${name}`, ranked: ranked((found) => byBoth(found)) });
  }
  return [...alone, ...joined];
}
