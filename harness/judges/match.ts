/** Where the words of a claim stand in a passage. */
import { orderShare } from './order.ts';
import { weightOf } from './rarity.ts';
import { type Token, tokensOf } from './tokens.ts';

/** A passage taken apart once for all claims about it. */
export interface Passage {
  tokens: Token[];
  sentences: number;
  /** Position of the first token of each sentence. */
  starts: number[];
  /** Positions of each stem. */
  places: Map<string, number[]>;
  /** Stems by their first four letters, for words that differ in their endings. */
  families: Map<string, string[]>;
}

/** One word of the claim. */
export interface Wanted {
  token: Token;
  /** Position among all tokens of the claim. */
  at: number;
  weight: number;
  /** Positions in the passage, and how well the word there fits: 1, or less for another ending. */
  places: number[];
  fit: number;
}

export interface Window {
  from: number;
  to: number;
  /** Share of the claim's weight found there. */
  share: number;
}

export function passageOf(text: string): Passage {
  const tokens = tokensOf(text);
  const places = new Map<string, number[]>();
  for (const [at, token] of tokens.entries()) {
    const known = places.get(token.stem);
    if (known === undefined) places.set(token.stem, [at]);
    else known.push(at);
  }
  const families = new Map<string, string[]>();
  for (const stem of places.keys()) {
    if (stem.length < 5 || stem.startsWith('#')) continue;
    const key = stem.slice(0, 4);
    families.set(key, [...(families.get(key) ?? []), stem]);
  }
  const sentences = (tokens.at(-1)?.sentence ?? -1) + 1;
  const starts = Array.from({ length: sentences }, () => tokens.length);
  for (let at = tokens.length - 1; at >= 0; at -= 1) starts[tokens[at]?.sentence ?? 0] = at;
  for (let sentence = sentences - 2; sentence >= 0; sentence -= 1)
    starts[sentence] = Math.min(starts[sentence] ?? 0, starts[sentence + 1] ?? 0);
  return { tokens, sentences, starts, places, families };
}

/** The content words of a claim, each once, with their places. */
export function wantedOf(claim: readonly Token[], passage: Passage): Wanted[] {
  const seen = new Set<string>();
  return claim.flatMap((token, at) => {
    if (!token.content || seen.has(token.stem)) return [];
    seen.add(token.stem);
    const { places, fit } = lookUp(token, passage);
    const sentences = new Set(places.map((place) => passage.tokens[place]?.sentence));
    const weight = weightOf(token, sentences.size / Math.max(1, passage.sentences), passage.sentences);
    return [{ token, at, weight, places, fit }];
  });
}

/** The run of at most `size` sentences with most of the claim's weight; the shortest of equals, then the one most like the claim. */
export function bestWindow(claim: readonly Token[], wanted: readonly Wanted[], passage: Passage, size: number): Window {
  const total = sum(wanted.map((word) => word.weight)) || 1;
  const found = wanted.map((word) => new Set(word.places.map((place) => passage.tokens[place]?.sentence)));
  let share = -1;
  let equals: Window[] = [];
  for (let length = 1; length <= Math.min(size, Math.max(1, passage.sentences)); length += 1) {
    for (let from = 0; from + length <= Math.max(1, passage.sentences); from += 1) {
      const own = sum(wanted.map((word, at) => (hasAny(found[at], from, length) ? word.weight * word.fit : 0))) / total;
      if (own > share + 1e-9) [share, equals] = [own, []];
      if (own >= share - 1e-9 && (equals[0] === undefined || equals[0].to - equals[0].from === length))
        equals.push({ from, to: from + length, share: own });
    }
  }
  return mostAlike(claim, equals, passage);
}

export function tokensIn(passage: Passage, { from, to }: Window): Token[] {
  const [first, last] = [passage.starts[from] ?? 0, passage.starts[to] ?? passage.tokens.length];
  return passage.tokens.slice(first, last);
}

function hasAny(sentences: Set<number | undefined> | undefined, from: number, length: number): boolean {
  for (let sentence = from; sentence < from + length; sentence += 1) if (sentences?.has(sentence)) return true;
  return false;
}

/** More than a few equals say little: a passage that repeats itself is not searched to its end. */
const EQUALS = 12;

function mostAlike(claim: readonly Token[], windows: readonly Window[], passage: Passage): Window {
  let best: Window = windows[0] ?? { from: 0, to: 1, share: 0 };
  if (windows.length < 2 || best.share === 0) return best;
  let order = -1;
  for (const window of windows.slice(0, EQUALS)) {
    const own = orderShare(claim, tokensIn(passage, window));
    if (own > order) [best, order] = [window, own];
  }
  return best;
}

export function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

function lookUp(token: Token, passage: Passage): { places: number[]; fit: number } {
  const exact = passage.places.get(token.stem);
  if (exact !== undefined) return { places: exact, fit: 1 };
  if (token.value !== null) return { places: sameValue(token, passage), fit: 1 };
  const relatives = (passage.families.get(token.stem.slice(0, 4)) ?? []).filter((other) => related(token.stem, other));
  return { places: relatives.flatMap((stem) => passage.places.get(stem) ?? []), fit: relatives.length > 0 ? 0.8 : 0 };
}

/** `5 seconds` is `5000` where a document gives milliseconds; a bare 5 in a claim is any 5. */
function sameValue(token: Token, passage: Passage): number[] {
  const { value, literal, unit } = token;
  return passage.tokens.flatMap((other, at) => {
    if (other.value === null || (unit !== null && other.unit !== null)) return [];
    const same = unit === null ? other.literal === literal : unit !== '%' && other.value === value;
    return same ? [at] : [];
  });
}

/** `production` and `producer`: a long beginning in common. */
function related(a: string, b: string): boolean {
  if (a.length < 5 || a.startsWith('#')) return false;
  const longest = Math.max(a.length, b.length);
  let common = 0;
  while (common < a.length && a[common] === b[common]) common += 1;
  return common >= 5 && common >= 0.6 * longest;
}
