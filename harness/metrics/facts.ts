/**
 * Does a text state a fact? Token by token, whole tokens only ("5" is not in "15"), any alternative will do, never across the
 * end of a sentence, and not where the text denies it ("not enabled by default" does not state "enabled by default").
 */
import type { KeyFact } from '../schema.ts';
import { normalise, sameToken, type Token, tokenise } from './tokens.ts';

const NEGATIONS = new Set('not no never neither nor none without non hardly'.split(' '));
/** "B rather than A" and "B instead of A" do not state A. */
const PASSED_OVER = new Map([
  ['rather', 'than'],
  ['instead', 'of'],
]);
/** How many words before the fact a negation reaches, those that carry nothing not counted. */
const REACH = 3;
const LIGHT = new Set('be been being to'.split(' '));

/** Citations must be gone from an answer (`stripCitations`), or they stand between its words. */
export function statesFact(text: string, fact: Pick<KeyFact, 'any'>): boolean {
  const said = tokenise(text);
  return fact.any.some((alternative) => statesTokens(said, alternative, text));
}

/** The source says these words: literally, but for case, white space and the looks of characters. */
export function occursVerbatim(text: string, words: string): boolean {
  const flat = (raw: string) => normalise(raw).replace(/\s+/g, ' ').trim();
  return flat(text).includes(flat(words));
}

function statesTokens(said: Token[], alternative: string, text: string): boolean {
  const wanted = tokenise(alternative).filter((token) => !isClause(token));
  while (wanted.at(-1)?.kind === 'break') wanted.pop();
  // Nothing but signs ("!==", "*"): as written.
  if (wanted.length === 0) return normalise(text).includes(normalise(alternative));
  const denies = wanted.some(isNegation);
  for (let start = 0; start < said.length; start += 1) {
    if (matchesAt(said, start, wanted) && (denies || !isDenied(said, start))) return true;
  }
  return false;
}

function matchesAt(said: Token[], start: number, wanted: Token[]): boolean {
  const first = said[start];
  if (first === undefined || isClause(first)) return false;
  let at = start;
  for (const token of wanted) {
    while (isClause(said[at])) at += 1;
    const found = said[at];
    if (found === undefined || !sameToken(token, found)) return false;
    at += 1;
  }
  return true;
}

function isDenied(said: Token[], start: number): boolean {
  for (let back = 1, words = 0; words < REACH; back += 1) {
    const token = said[start - back];
    if (token === undefined || token.kind === 'break') return false;
    const next = said[start - back + 1];
    const following = next?.kind === 'word' ? next.text : '';
    if (token.kind === 'word' && PASSED_OVER.get(token.text) === following) return true;
    if (token.kind !== 'word' || !LIGHT.has(token.text)) words += 1;
    // "not only A but also B" asserts A.
    if (isNegation(token)) return following !== 'only';
  }
  return false;
}

function isClause(token: Token | undefined): boolean {
  return token?.kind === 'break' && token.strength === 'clause';
}

function isNegation(token: Token): boolean {
  return token.kind === 'word' && NEGATIONS.has(token.text);
}
