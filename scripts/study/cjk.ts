/** How Chinese, Japanese and Korean are best taken apart: pairs of characters, a dictionary's words, single characters, or both. */
import type { Embedder } from '../../service/search/embed/embedder.ts';
import { isFunctionToken } from '../../service/search/text/query.ts';
import { tokenize, type Word, words } from '../../service/search/text/tokens.ts';
import { createBm25, DEFAULTS } from './bm25.ts';
import { byBoth } from './fusion.ts';
import { type Halves, halvesOf } from './halves.ts';
import type { StudySet } from './sets.ts';
import { sourcesOf, type Variant } from './table.ts';

type Split = (text: string) => string[];

export async function studyCjk(sets: readonly StudySet[], model: Embedder | null): Promise<Variant[]> {
  const ways: [string, (set: StudySet) => Split][] = [
    ['pairs of characters (default)', () => tokenize],
    ['words of Intl.Segmenter', (set) => perWord(segmenter(set))],
    ['pairs and words', (set) => both(tokenize, perWord(segmenter(set)))],
    [
      'pairs and single characters',
      () =>
        both(
          tokenize,
          perWord((run) => [...run]),
        ),
    ],
    ['three characters', () => perWord(triples)],
  ];
  const variants: Variant[] = [];
  for (const [name, way] of ways) {
    const splits = sets.map(way);
    const halves: Halves[][] = [];
    for (const [at, set] of sets.entries()) halves.push(await searched(set, null, splits[at] ?? tokenize));
    variants.push(variantOf(name, sets, halves, (found) => found.words.slice(0, 100)));
  }
  if (model === null) return variants;
  const halves: Halves[][] = [];
  for (const set of sets) halves.push(await searched(set, model, tokenize));
  return [
    ...variants,
    variantOf(`meaning, ${model.name}`, sets, halves, (found) => found.near.slice(0, 100)),
    variantOf('pairs and meaning', sets, halves, (found) => byBoth(found)),
  ];
}

function searched(set: StudySet, model: Embedder | null, split: Split): Promise<Halves[]> {
  // Question words and particles are dropped from questions, whatever the pieces.
  const asked = (text: string) => {
    const all = split(text);
    const content = all.filter((token) => !isFunctionToken(token));
    return content.length > 0 ? content : all;
  };
  return halvesOf(set, model, createBm25(set.passages, { ...DEFAULTS, tokens: split, asked }));
}

function variantOf(
  name: string,
  sets: readonly StudySet[],
  halves: Halves[][],
  rank: (found: Halves) => { id: number }[],
): Variant {
  return { name, ranked: sets.map((set, at) => (halves[at] ?? []).map((found) => sourcesOf(set)(rank(found)))) };
}

function segmenter({ passages }: StudySet): Split {
  const text = passages
    .slice(0, 50)
    .map((passage) => passage.text)
    .join('');
  const locale = /\p{Script=Hangul}/u.test(text) ? 'ko' : /\p{Script=Hiragana}/u.test(text) ? 'ja' : 'zh';
  const made = new Intl.Segmenter(locale, { granularity: 'word' });
  return (run) => [...made.segment(run)].map(({ segment }) => segment);
}

function triples(run: string): string[] {
  const chars = [...run];
  if (chars.length <= 3) return [run];
  return chars.slice(0, -2).map((_, at) => chars.slice(at, at + 3).join(''));
}

/** Other scripts as ever. */
function perWord(split: Split): Split {
  return (text) => [...words(text)].flatMap((word: Word) => (word.cjk ? split(word.whole) : word.tokens));
}

function both(one: Split, other: Split): Split {
  return (text) => [...one(text), ...other(text)];
}
