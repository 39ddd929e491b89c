/**
 * The evidence gate: is there a passage that has to do with the question at all? How its thresholds were chosen, and what
 * they let through and hold back, stands in docs/retrieval.md. Pure.
 */
import type { Query } from './text/query.ts';
import { tokenize, type Word } from './text/tokens.ts';

/**
 * How much of the question's weight, by rarity of its words, the text has: 0 to 1. An identifier counts as found when it
 * stands there as a whole, and in part for its parts. 0 when the question has no words.
 */
export function coverage(query: Query, text: string, idf: (token: string) => number): number {
  const present = new Set(tokenize(text));
  let found = 0;
  let all = 0;
  for (const word of distinct(query.words)) {
    const weight = weigh(word, idf);
    all += weight;
    found += weight * shareOf(word, present);
  }
  return all === 0 ? 0 : found / all;
}

function shareOf({ tokens, cjk }: Word, present: ReadonlySet<string>): number {
  const [whole = ''] = tokens;
  if (!cjk && present.has(whole)) return 1;
  return tokens.filter((token) => present.has(token)).length / tokens.length;
}

function weigh({ tokens }: Word, idf: (token: string) => number): number {
  return tokens.reduce((sum, token) => sum + idf(token), 0) / tokens.length;
}

function distinct(list: readonly Word[]): Word[] {
  return [...new Map(list.map((word) => [word.whole, word])).values()];
}
