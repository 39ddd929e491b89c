/**
 * Text as the lexical judge compares it: words with their stems, numbers by value, names, and the sentence each stands in. Of its own and
 * not the metrics': a change there must not change verdicts behind the back of the judge's version.
 */
import { splitSentences } from '../../service/sentences.ts';
import { stem } from './stem.ts';

export interface Token {
  /** Lower case, without quotes and endings of possession. */
  text: string;
  stem: string;
  /** Says something by itself: no article, pronoun, auxiliary. */
  content: boolean;
  /** Written like a name: a capital inside a sentence, or an identifier. */
  name: boolean;
  /** In the base unit of `unit` where it has one. */
  value: number | null;
  /** The number as written, without its unit. */
  literal: number | null;
  unit: 'bytes' | 'ms' | '%' | null;
  sentence: number;
  /** A comma, bracket or colon, or the end of a sentence, stands before it. */
  pause: boolean;
}

export const STOP_WORDS = new Set(
  (
    'a about above after again against all also am an and any are as at be because been before being below between both but by ' +
    'can could did do does doing during each few for from further had has have having he her here hers him his how i if in ' +
    'into is it its itself just may me might more most must my no nor not of off on once only or other ought our ours out over own per ' +
    'same shall she should so some such than that the their theirs them then there these they this those through thus to too under until ' +
    'up us very via was we were what when where which while who whom whose why will with would you your yours'
  ).split(' '),
);

/** Tokens of a text in order. */
export function tokensOf(text: string): Token[] {
  return splitSentences(text).flatMap((sentence, index) => sentenceTokens(sentence.text, index));
}

const WORD = String.raw`[\p{L}\p{M}_$][\p{L}\p{N}\p{M}_$]*(?:['’][\p{L}]+)?(?:[+#]+(?![\p{L}\p{N}]))?`;
const NUMBER = String.raw`(?<![\p{L}_])[-−+]?\d[\d,_]*(?:\.\d+)*(?:e[-+]?\d+)?`;
const TOKEN = new RegExp(
  `(?<abbreviation>(?:\\p{L}\\.){2,})|(?<version>(?<![\\p{L}\\p{N}.])v?\\d+(?:\\.\\d+){2,})|(?<number>${NUMBER})|(?<word>${WORD})|(?<pause>[,;:()\\[\\]—–|]|[.!?](?=\\s|$)|\\s-\\s)|(?<percent>%)`,
  'gu',
);
const IDEOGRAPHS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u;
const COUNTS = new Map(
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'
    .split(' ')
    .map((word, value) => [word, value]),
);
const TENS = new Map(
  'thirty forty fifty sixty seventy eighty ninety'.split(' ').map((word, at) => [word, (at + 3) * 10]),
);
const SCALES: Record<string, number> = {
  hundred: 100,
  thousand: 1e3,
  k: 1e3,
  million: 1e6,
  m: 1e6,
  billion: 1e9,
  bn: 1e9,
  trillion: 1e12,
  dozen: 12,
};
const UNITS = new Map<string, ['bytes' | 'ms' | '%', number]>([
  ...unit('ms', 1, 'ms msec millisecond milliseconds'),
  ...unit('ms', 1000, 's sec secs second seconds'),
  ...unit('ms', 60_000, 'min mins minute minutes'),
  ...unit('ms', 3_600_000, 'h hr hrs hour hours'),
  ...unit('ms', 86_400_000, 'day days'),
  ...unit('ms', 604_800_000, 'week weeks'),
  ...unit('bytes', 1, 'b byte bytes'),
  ...unit('bytes', 1000, 'kb kilobyte kilobytes'),
  ...unit('bytes', 1e6, 'mb megabyte megabytes'),
  ...unit('bytes', 1e9, 'gb gigabyte gigabytes'),
  ...unit('bytes', 1024, 'kib kibibyte kibibytes'),
  ...unit('bytes', 1024 ** 2, 'mib mebibyte mebibytes'),
  ...unit('bytes', 1024 ** 3, 'gib gibibyte gibibytes'),
  ...unit('%', 1, '% percent percentage'),
]);

function sentenceTokens(text: string, sentence: number): Token[] {
  const tokens: Token[] = [];
  let pause = true;
  for (const match of unify(text).matchAll(TOKEN)) {
    const { number, word, percent, version, abbreviation } = match.groups ?? {};
    const whole = version?.replace(/^v/, '') ?? abbreviation?.replace(/\./g, '').toLowerCase();
    if (whole !== undefined)
      tokens.push({ ...plain(whole, abbreviation !== undefined, sentence, pause), content: true });
    else if (number !== undefined) tokens.push({ ...numberToken(number), sentence, pause });
    else if (percent !== undefined) attachUnit(tokens.at(-1), '%');
    else if (word !== undefined) addWord(tokens, word, { sentence, pause, begins: tokens.length === 0 });
    pause = match.groups?.pause !== undefined;
  }
  return tokens;
}

function addWord(tokens: Token[], written: string, at: { sentence: number; pause: boolean; begins: boolean }): void {
  const word = written.replace(/['’]s?$/i, '');
  const lower = word.toLowerCase();
  const before = tokens.at(-1);
  if (
    !at.pause &&
    before?.value != null &&
    (SCALES[lower] !== undefined || UNITS.has(lower)) &&
    attachUnit(before, lower)
  )
    return;
  const { sentence, pause } = at;
  const value = COUNTS.get(lower) ?? TENS.get(lower) ?? (lower.length > 4 ? SCALES[lower] : undefined) ?? null;
  if (value !== null) {
    tokens.push({ ...numberToken(String(value)), text: lower, sentence, pause });
    return;
  }
  if (IDEOGRAPHS.test(word)) {
    for (const sign of word) tokens.push(plain(sign, false, sentence, pause));
    return;
  }
  const identifier = /\p{Ll}\p{Lu}|_|\$/u.test(word);
  const capital = /^\p{Lu}/u.test(word) && !at.begins;
  const name = identifier || (capital && !STOP_WORDS.has(lower));
  for (const part of writtenOut(lower)) tokens.push(plain(part, name, sentence, pause));
  if (identifier) for (const part of partsOf(word)) tokens.push(plain(part, false, sentence, false));
}

function plain(text: string, name: boolean, sentence: number, pause: boolean): Token {
  return {
    text,
    stem: stem(text),
    content: !STOP_WORDS.has(text),
    name,
    value: null,
    literal: null,
    unit: null,
    sentence,
    pause,
  };
}

function numberToken(written: string): Omit<Token, 'sentence' | 'pause'> {
  const plainDigits = written.replace(/−/g, '-').replace(/[,_]/g, '').replace(/^\+/, '');
  const value = Number(plainDigits);
  // A version such as 1.2.3 is a word.
  if (Number.isNaN(value))
    return { text: plainDigits, stem: plainDigits, content: true, name: false, value: null, literal: null, unit: null };
  return { text: plainDigits, stem: `#${value}`, content: true, name: false, value, literal: value, unit: null };
}

/** `5 million`, `10 s`, `1 MiB`, `3%`: the word behind a number is part of it. */
function attachUnit(token: Token | undefined, word: string): boolean {
  if (token?.value == null || token.unit !== null) return false;
  const scale = SCALES[word];
  const [dim, factor] = UNITS.get(word) ?? [null, scale];
  if (factor === undefined) return false;
  token.value *= factor;
  if (dim === null) token.literal = token.value;
  token.unit = dim;
  token.stem = `#${token.value}${dim ?? ''}`;
  return true;
}

/** `keepAliveTimeout` is read as itself and as its parts, so that prose about it matches. */
function partsOf(identifier: string): string[] {
  const parts = identifier
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[\s_$]+/)
    .map((part) => part.toLowerCase());
  // The `no` of `no_proxy` denies nothing.
  return parts.length > 1 ? parts.filter((part) => part !== '' && !STOP_WORDS.has(part)) : [];
}

function writtenOut(word: string): string[] {
  if (word === 'cannot' || word === "can't") return ['can', 'not'];
  if (word === "won't") return ['will', 'not'];
  const negated = /^(\p{L}+)n't$/u.exec(word)?.[1];
  return negated === undefined ? [word.replace(/'\p{L}+$/u, '')] : [negated, 'not'];
}

function unify(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u2018\u2019\u02bc`´]/g, "'")
    .replace(/\bcan not\b/g, 'cannot')
    .replace(/[\u00ad\u200b-\u200d\u2060\ufeff]/g, '')
    .replace(/(\d)(?:st|nd|rd|th)\b/g, '$1')
    .replace(/(\d)(?=\p{L})/gu, '$1 ')
    .replace(/['`*]+(?=\s|$)|(?<=^|\s)['`*]+/g, ' ');
}

function unit(dim: 'bytes' | 'ms' | '%', factor: number, names: string): [string, ['bytes' | 'ms' | '%', number]][] {
  return names.split(' ').map((name) => [name, [dim, factor]]);
}
