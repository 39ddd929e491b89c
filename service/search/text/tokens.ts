/**
 * Words as the index knows them. Documents and questions go through the same steps, so that they meet whatever way a
 * word is written:
 * - full-width forms, ligatures, case and accents are folded;
 * - an identifier (`keepAliveTimeout`, `--max-old-space-size`, `ERR_INVALID_ARG_TYPE`, `http2.connect`) is one token
 *   without its joints, and each of its parts is a token too;
 * - Chinese, Japanese and Korean runs become character pairs, for they have no spaces (Korean words end in particles);
 * - other words are stemmed (Porter).
 * Raise TOKENIZER_VERSION when any of this changes: an index made with another version is refused.
 */
import { stemmer } from 'stemmer';

export const TOKENIZER_VERSION = 1;

/** A word as written, and the tokens it stands for: the whole first, then its parts. */
export interface Word {
  /** Folded, joints removed. */
  whole: string;
  tokens: readonly string[];
  cjk: boolean;
}

/** Longest token kept; what is longer is a hash or encoded data, and only its beginning is worth finding. */
const MAX_TOKEN = 64;
const CJK = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー々〆';
const PATTERN = new RegExp(
  `[${CJK}]+|(?:(?![${CJK}])[\\p{L}\\p{N}])+(?:[_.\\-'’](?:(?![${CJK}])[\\p{L}\\p{N}])+|_+)*`,
  'gu',
);
const IS_CJK = new RegExp(`^[${CJK}]`, 'u');

export function tokenize(text: string): string[] {
  const tokens: string[] = [];
  for (const word of words(text)) tokens.push(...word.tokens);
  return tokens;
}

export function* words(text: string): Generator<Word> {
  for (const [match] of text.normalize('NFKC').matchAll(PATTERN)) {
    yield IS_CJK.test(match) ? cjkWord(match) : latinWord(match);
  }
}

/** Lower case without accents. Letters that are no accented form of another (ø, ß) stay. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  return /^[\x00-\x7f]*$/.test(lower)
    ? lower
    : lower
        .normalize('NFD')
        .replace(/\p{Mn}+/gu, '')
        .normalize('NFC');
}

function cjkWord(run: string): Word {
  const whole = fold(run);
  const chars = Array.from(whole);
  if (chars.length === 1) return { whole, tokens: [whole], cjk: true };
  const tokens: string[] = [];
  for (let at = 0; at + 1 < chars.length; at++) tokens.push(`${chars[at]}${chars[at + 1]}`);
  return { whole, tokens, cjk: true };
}

/** Words taken apart already: texts repeat their words, and looking one up is ten times as fast. */
const known = new Map<string, Word>();
const MAX_KNOWN = 50_000;

function latinWord(match: string): Word {
  const before = known.get(match);
  if (before !== undefined) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const word = takeApart(match);
  if (match.length <= MAX_TOKEN) known.set(match, word);
  return word;
}

function takeApart(match: string): Word {
  // "server's" is about the server; "don't" is one word.
  const text = match.replace(/['’]s$/i, '').replace(/['’]/g, '');
  const parts = text
    .split(/[_.-]+/)
    .flatMap(humps)
    .map(fold)
    .filter((part) => part !== '');
  const whole = parts.join('').slice(0, MAX_TOKEN);
  if (parts.length === 1) return { whole, tokens: [stem(whole)], cjk: false };
  return { whole, tokens: [whole, ...parts.map((part) => part.slice(0, MAX_TOKEN))].map(stem), cjk: false };
}

/** Splits camelCase, ABCWord and letters from digits where they change case: `parseJSONBody` is parse, JSON, Body. */
function humps(text: string): string[] {
  return text.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
}

function stem(word: string): string {
  return /^[a-z]{3,}$/.test(word) ? stemmer(word) : word;
}
