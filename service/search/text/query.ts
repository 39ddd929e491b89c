/** A question as words to look for. Nothing of it is ever read as FTS5 syntax: only tokens reach the expression. */
import { STOP_WORDS } from './stopwords.ts';
import { type Word, words } from './tokens.ts';

export interface Query {
  text: string;
  /** Words that carry meaning, in order, repetitions kept. All words when every one is a stop word. */
  words: Word[];
  /** Whether the question is mostly Chinese, Japanese or Korean. */
  cjk: boolean;
}

/** More words than any question has; the rest of a pasted document adds time and no meaning. */
const MAX_WORDS = 64;
/** Question words and particles of Chinese and Japanese: pairs made of these alone say nothing. */
const CJK_FUNCTION =
  /^[的了吗呢么是在和与有我你他她它们这那哪什怎样如何为谁几多少能可以请问会要把被个にはをがのでとももへやかよねますですした何故どうなぜいつ誰]+$/u;

export function parseQuery(text: string): Query {
  const all = [...words(text.replaceAll('\0', ' '))];
  const content = all.flatMap((word) => withoutFunctionWords(word)).slice(0, MAX_WORDS);
  const cjk = all.filter((word) => word.cjk).reduce((sum, word) => sum + word.whole.length, 0);
  const total = all.reduce((sum, word) => sum + word.whole.length, 0);
  return { text, words: content.length > 0 ? content : all.slice(0, MAX_WORDS), cjk: cjk * 2 > total };
}

/** Whether a token of Chinese or Japanese is made of question words and particles alone. */
export function isFunctionToken(token: string): boolean {
  return CJK_FUNCTION.test(token);
}

function withoutFunctionWords(word: Word): Word[] {
  if (!word.cjk) return STOP_WORDS.has(word.whole) ? [] : [word];
  const tokens = word.tokens.filter((token) => !isFunctionToken(token));
  return tokens.length === 0 ? [] : [{ ...word, tokens }];
}

/** An FTS5 expression that any of the tokens satisfies; undefined when there is nothing to look for. */
export function matchExpression(tokens: readonly string[]): string | undefined {
  return tokens.length === 0 ? undefined : tokens.map((token) => `"${token.replaceAll('"', '')}"`).join(' OR ');
}
