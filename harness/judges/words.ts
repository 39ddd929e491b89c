/** Content words of a text for the lexical judge: folded, lightly stemmed, identifiers whole and in parts, numbers by value. */
import { normalise, type Token, tokenise } from '../metrics/tokens.ts';

/** A quantity in the base unit of its dimension, or a bare number. */
export type Quantity = Extract<Token, { kind: 'number' }>;

export interface Words {
  /** Stems in order, stop words left out. */
  stems: string[];
  quantities: Quantity[];
  /** All words as they stand. */
  plain: string[];
  /** Stems within reach of a denial. */
  denied: Set<string>;
}

export function wordsOf(text: string): Words {
  const words: Words = { stems: [], quantities: [], plain: [], denied: new Set() };
  let reach = 0;
  for (const token of tokenise(splitNames(text))) {
    if (token.kind === 'break') reach = 0;
    if (token.kind === 'number') words.quantities.push(token);
    if (token.kind !== 'word') continue;
    words.plain.push(token.text);
    if (NEGATIONS.has(token.text)) reach = REACH;
    else if (!STOP_WORDS.has(token.text)) {
      words.stems.push(stem(token.text));
      if (reach > 0) words.denied.add(stem(token.text));
      reach -= 1;
    }
  }
  return words;
}

/** Several texts as one. */
export function joinWords(parts: readonly Words[]): Words {
  return {
    stems: parts.flatMap((part) => part.stems),
    quantities: parts.flatMap((part) => part.quantities),
    plain: parts.flatMap((part) => part.plain),
    denied: new Set(parts.flatMap((part) => [...part.denied])),
  };
}

/** Names as written: identifiers, and words with a capital that do not begin the text. */
export function namesOf(text: string): string[] {
  const found = new Set<string>();
  for (const match of text.matchAll(/[\p{L}\p{N}_$]+/gu)) {
    const word = match[0];
    const inner = /\p{Ll}\p{Lu}|_|\$/u.test(word);
    const begins = /(?:^|[.!?:]\s+|^[\s>*+-]*|["“(])$/u.test(text.slice(0, match.index));
    const capital = /^\p{Lu}/u.test(word) && !begins && !STOP_WORDS.has(word.toLowerCase());
    if (inner || capital) found.add(normalise(word));
  }
  return [...found];
}

/** Content words after a denial that it covers. */
const REACH = 3;
const NEGATIONS = new Set('not no never neither nor none without cannot nothing nobody unable'.split(' '));

export const STOP_WORDS = new Set(
  (
    'a about above after again against all also am an and any are as at be because been before being below between both but by ' +
    'can could did do does doing down during each few for from further had has have having he her here hers him his how i if in ' +
    'into is it its itself just may me might more most must my of off on once only or other ought our ours out over own per same ' +
    'shall she should so some such than that the their theirs them then there these they this those through to too under until up ' +
    'us very via was we were what when where which while who whom why will with would you your yours'
  ).split(' '),
);

/** `keepAliveTimeout` is read as itself and as its parts, so that prose about it matches. */
function splitNames(text: string): string {
  return text.replace(/[\p{L}\p{N}]*\p{Ll}\p{Lu}[\p{L}\p{N}]*/gu, (name) => {
    const parts = name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2');
    return `${name} ${parts}`;
  });
}

/** Plural, -ing, -ed, -ly, -ment and -tion endings: enough for "logs", "logging" and "logged" to be one word. */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  let base = word.replace(/ies$/, 'y').replace(/(ss|sh|ch|x|z)es$/, '$1');
  if (/[^sui]s$/.test(base)) base = base.slice(0, -1);
  for (const ending of ['ing', 'ed', 'ly', 'er']) {
    if (base.endsWith(ending) && base.length - ending.length >= 3 && /[aeiouy]/.test(base.slice(0, -ending.length))) {
      base = base.slice(0, -ending.length).replace(/([bdfgmnprt])\1$/, '$1');
      break;
    }
  }
  return base.length > 4 ? base.replace(/e$/, '') : base;
}
