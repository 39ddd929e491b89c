/**
 * How much a word of a claim tells: a word that stands in few sentences of the passage, or that texts in general rarely have, tells
 * more. There is no corpus beside a passage, so the general part is a list of common words and the length of the others.
 */
import { COMMON_WORDS } from './common-words.ts';
import type { Token } from './tokens.ts';

/** `frequency`: share of the passage's sentences with the word; 0 for a word it lacks. */
export function weightOf(token: Token, frequency: number, sentences: number): number {
  if (!token.content) return 0;
  return general(token) * (0.5 + 0.5 * local(frequency, sentences));
}

/** .4 for the commonest words to 1.3 for names and numbers. */
export function general(token: Token): number {
  if (token.value !== null || token.name) return 1.3;
  if (COMMON_WORDS.has(token.text) || COMMON_WORDS.has(token.stem)) return 0.6;
  return Math.min(1.2, 0.7 + token.text.length / 16);
}

/** 1 for a word of at most one sentence, 0 for one that every sentence has. */
function local(frequency: number, sentences: number): number {
  if (sentences < 2) return 1;
  const idf = Math.log((sentences + 1) / (frequency * sentences + 1));
  return Math.min(1, idf / Math.log((sentences + 1) / 2));
}
