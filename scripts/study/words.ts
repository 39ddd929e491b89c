/** What each choice of the lexical half gains: weights of title and headings, stemming, stop words, rarity; alone and joined with meaning. */
import type { Embedder } from '../../service/search/embed/embedder.ts';
import { parseQuery } from '../../service/search/text/query.ts';
import { tokenize, type Word, words } from '../../service/search/text/tokens.ts';
import { type Choices, createBm25, DEFAULTS } from './bm25.ts';
import { byBoth } from './fusion.ts';
import { type Halves, halvesOf } from './halves.ts';
import type { StudySet } from './sets.ts';
import { sourcesOf, type Variant } from './table.ts';

const VARIANTS: [string, Partial<Choices>][] = [
  ['as it is', {}],
  ['stop words kept', { asked: tokenize }],
  ['not stemmed', { tokens: unstemmed, asked: (text) => parseQuery(text).words.flatMap(asWritten) }],
  ['title and headings left out', { title: 0, heading: 0 }],
  ['title 1, heading 1', { title: 1, heading: 1 }],
  ['title 2, heading 2', { title: 2, heading: 2 }],
  ['title 3, heading 3', { title: 3, heading: 3 }],
  ['rarity never nothing', { idf: 'positive' }],
  ['rarity never nothing, title 2', { idf: 'positive', title: 2 }],
  ['k1 0.9, b 0.4', { k1: 0.9, b: 0.4 }],
  ['k1 1.6, b 0.75', { k1: 1.6 }],
];

export async function studyWords(sets: readonly StudySet[], model: Embedder | null): Promise<Variant[]> {
  const alone: Variant[] = [];
  const joined: Variant[] = [];
  for (const [name, choices] of VARIANTS) {
    const halves: Halves[][] = [];
    for (const set of sets)
      halves.push(await halvesOf(set, model, createBm25(set.passages, { ...DEFAULTS, ...choices })));
    const ranked = (rank: (found: Halves) => { id: number }[]) =>
      sets.map((set, at) => (halves[at] ?? []).map((found) => sourcesOf(set)(rank(found))));
    alone.push({ name, ranked: ranked((found) => found.words.slice(0, 100)) });
    if (model !== null) joined.push({ name: `${name}, with meaning`, ranked: ranked((found) => byBoth(found)) });
  }
  return [...alone, ...joined];
}

function unstemmed(text: string): string[] {
  return [...words(text)].flatMap(asWritten);
}

/** The parts of an identifier are known as stems only; they are few. */
function asWritten({ whole, tokens, cjk }: Word): readonly string[] {
  return cjk ? tokens : [whole, ...tokens.slice(1)];
}
