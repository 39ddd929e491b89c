/**
 * Text as comparable tokens: words, quantities and breaks. What is only writing (case, quotes, dashes, thousands separators,
 * Markdown marks, `10s` or `10 seconds`) is gone; what means something (sign, unit, version, token boundary) stays.
 */

export type Token =
  | { kind: 'word'; text: string }
  /** `base` is in bytes, milliseconds or percent where the unit says so (`dim`), else the number itself. */
  | { kind: 'number'; literal: number; dim: 'bytes' | 'ms' | '%' | null; base: number }
  | { kind: 'break'; strength: 'clause' | 'sentence' };

const UNITS: Record<string, ['bytes' | 'ms' | '%', number]> = {
  ...units('ms', 1, 'ms msec msecs millisecond milliseconds millis'),
  ...units('ms', 1000, 's sec secs second seconds'),
  ...units('ms', 60_000, 'min mins minute minutes'),
  ...units('ms', 3_600_000, 'h hr hrs hour hours'),
  ...units('ms', 86_400_000, 'day days'),
  ...units('ms', 604_800_000, 'week weeks'),
  ...units('bytes', 1, 'b byte bytes'),
  ...units('bytes', 1000, 'kb kilobyte kilobytes'),
  ...units('bytes', 1000 ** 2, 'mb megabyte megabytes'),
  ...units('bytes', 1000 ** 3, 'gb gigabyte gigabytes'),
  ...units('bytes', 1024, 'kib kibibyte kibibytes'),
  ...units('bytes', 1024 ** 2, 'mib mebibyte mebibytes'),
  ...units('bytes', 1024 ** 3, 'gib gibibyte gibibytes'),
  ...units('%', 1, '% percent'),
};
const NUMBER_WORDS = 'two three four five six seven eight nine ten eleven twelve'.split(' ');
const ARTICLES = new Set(['a', 'an', 'the']);
/** Words after which another statement begins: a negation before them does not reach behind them. */
const CLAUSE_WORDS = new Set('but however instead rather unless although though whereas because'.split(' '));

const NUMBER = String.raw`(?<![\p{L}\p{N}_.])(?<sign>(?<![\p{L}\p{N}_)\]-])[-+])?(?:0x[0-9a-f]+|\d{1,3}(?:[,_']\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3}){2,}|\d[\d_]*(?:\.\d+)?(?:e[-+]?\d+)?)(?!\.?\d|[\p{L}_]*\d)(?:[ -]?(?<unit>%|[a-z]+)(?![\p{L}\p{N}_-]))?(?![\p{L}_])`;
const WORD = String.raw`[\p{L}\p{N}\p{M}_$]+(?:['’][\p{L}]+)?(?:[+#]+(?![\p{L}\p{N}]))?|\d+(?:\.\d+){2,}[\w.-]*`;
const BREAK = String.raw`(?<stop>[.!?;](?=\s|$)|[。！？；]|\n\s*\n|\n\s*(?:[-*+]|\d+[.)])\s)|(?<pause>[,:()，、：]|\s-\s)`;
/** Three parts, or two behind a `v`, a slash or the word: 1.10 of something is not its 1.1. "1.000.000" is a number. */
const VERSION = String.raw`(?<version>(?<![\p{L}\p{N}_.])(?!\d{1,3}(?:\.0{3})+(?![\p{L}\p{N}.-]))(?:v?\d+(?:\.\d+){2,}|(?:(?<=[\p{L}]/)|v|(?<=\bversion ))\d+\.\d+)(?:-[\w.]+)?)`;
const TOKEN = new RegExp(`${VERSION}|(?<number>${NUMBER})|(?<word>${WORD})|${BREAK}`, 'giu');
const IDEOGRAPHS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;

/** One form for characters that differ only in looks. Citations are no part of what is said. */
export function normalise(text: string): string {
  return text
    .replace(/(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))/g, ',')
    .normalize('NFKC')
    .replace(/[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g, '-')
    .replace(/[\u2018\u2019\u201a\u201b\u2032\u02bc`´]/g, "'")
    .replace(/[\u201c-\u201f\u2033\u00ab\u00bb]/g, '"')
    .replace(/[\u00ad\u200b-\u200d\u2060\ufeff]/g, '')
    .toLowerCase()
    .replace(/ß/g, 'ss');
}

/** The tokens of a text without articles; contractions of "not" are written out. */
export function tokenise(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of writeOutNot(normalise(text)).matchAll(TOKEN)) {
    const groups = match.groups ?? {};
    if (groups.stop !== undefined) tokens.push({ kind: 'break', strength: 'sentence' });
    else if (groups.pause !== undefined) tokens.push({ kind: 'break', strength: 'clause' });
    else if (groups.version !== undefined) tokens.push({ kind: 'word', text: groups.version.replace(/^v/, '') });
    else if (groups.number !== undefined) tokens.push(...quantity(groups.number, groups.unit));
    else tokens.push(...words(match[0]));
  }
  return tokens;
}

/** Whether a token of a text says what a token of a fact says. */
export function sameToken(fact: Token, said: Token): boolean {
  if (fact.kind === 'word') return said.kind === 'word' && said.text === fact.text;
  if (fact.kind !== 'number' || said.kind !== 'number') return fact.kind === said.kind;
  if (fact.dim !== null && said.dim !== null) return fact.dim === said.dim && close(fact.base, said.base);
  if (fact.dim === null && close(fact.literal, said.literal)) return true;
  // "5 seconds" is "5000" where a document gives milliseconds; a bare "5" does not say "5 seconds".
  return fact.dim !== '%' && said.dim !== '%' && close(fact.base, said.base);
}

function writeOutNot(text: string): string {
  return text
    .replace(/\bcan(?:'t|not)\b/g, 'can not')
    .replace(/\bwon't\b/g, 'will not')
    .replace(/\b(\p{L}+)n't\b/gu, '$1 not');
}

function quantity(text: string, unit: string | undefined): Token[] {
  const known = unit === undefined ? undefined : UNITS[unit];
  const digits = unit === undefined ? text : text.slice(0, text.length - unit.length).replace(/[ -]$/, '');
  const plain = /^\d{1,3}(?:\.\d{3}){2,}$/.test(digits) ? digits.replaceAll('.', '') : digits;
  const literal = Number(plain.replace(/(?<=\d)[,_'](?=\d)/g, '')) * (unit === 'k' ? 1000 : 1);
  if (Number.isNaN(literal)) return words(text);
  const number: Token = { kind: 'number', literal, dim: known?.[0] ?? null, base: literal * (known?.[1] ?? 1) };
  return unit !== undefined && known === undefined && unit !== 'k' ? [number, ...words(unit)] : [number];
}

function words(run: string): Token[] {
  const text = run.replace(/'s$/, '').replace(/^'|'$/g, '');
  if (ARTICLES.has(text) || text === '') return [];
  const count = NUMBER_WORDS.indexOf(text);
  if (count >= 0) return [{ kind: 'number', literal: count + 2, dim: null, base: count + 2 }];
  if (IDEOGRAPHS.test(text))
    return [...text.matchAll(/[a-z0-9_$]+|./gu)].map((part) => ({ kind: 'word', text: part[0] }));
  const word: Token = { kind: 'word', text };
  return CLAUSE_WORDS.has(text) ? [{ kind: 'break', strength: 'clause' }, word] : [word];
}

function close(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}

function units(
  dim: 'bytes' | 'ms' | '%',
  factor: number,
  names: string,
): Record<string, ['bytes' | 'ms' | '%', number]> {
  return Object.fromEntries(names.split(' ').map((name) => [name, [dim, factor]]));
}
