/**
 * Splits Markdown into sentences, for answers and for passages alike: service and harness must count the same ones.
 * Pure; every sentence is an exact slice of the text. Offsets count UTF-16 code units, end exclusive.
 */
import { type Block, codeSpans, covers, linkSpans, mergeSpans, type Span, scanBlocks } from './markdown.ts';

/**
 * prose: of a paragraph; item: of a list; row: of a table; lead: prose that ends with a colon and introduces a list,
 * table or code; heading: also a table's head and a line wholly in bold; code: one block of code.
 */
export type SentenceKind = 'prose' | 'item' | 'row' | 'lead' | 'heading' | 'code';

export interface Sentence extends Span {
  kind: SentenceKind;
  /** `text.slice(start, end)`, citations behind the full stop included. */
  text: string;
}

/** All sentences in order; a block of nothing but citations belongs to the sentence before it. */
export function splitSentences(text: string): Sentence[] {
  const code = codeSpans(text);
  const masked = mergeSpans([...code, ...linkSpans(text, code)]);
  const blocks = scanBlocks(text);
  const sentences: Sentence[] = [];
  blocks.forEach((block, index) => {
    const spans = isSplit(block) ? splitBlock(text, block, masked) : [trim(text, block)];
    for (const span of spans) add(sentences, text, { ...span, kind: block.kind });
    const last = sentences.at(-1);
    if (last !== undefined && isLead(last, block, blocks[index + 1])) last.kind = 'lead';
  });
  return sentences;
}

/** Whether a sentence states something that can be supported or not: headings, leads and code do not. */
export function isClaim(sentence: Sentence): boolean {
  return sentence.kind === 'prose' || sentence.kind === 'item' || sentence.kind === 'row';
}

/** One or more citations with nothing but space between them, e.g. `[1][2]`, `[1, 3-5]`, `【2】`. */
const CITATIONS = String.raw`(?:\s*(?:\[\s*\d[\d\s,;–-]*\](?!\(|:\s)|[【［〔]\s*\d[^】］〕\n]*[】］〕]))+`;
const ONLY_CITATIONS = new RegExp(`^${CITATIONS}[\\s.]*$`);
const CITATIONS_HERE = new RegExp(CITATIONS, 'y');
const CLOSERS = /["'”’»)\]*_~」』）】〉》]*/y;
const TERMINATOR = /\.{3,}|[.!?…]+|[。！？｡؟।۔]+/g;
const WIDE = /[。！？｡؟।۔]/;

/** Never end a sentence. */
const NEVER = new Set(
  (
    'e.g i.e eg ie vs cf viz approx resp incl excl esp mr mrs ms dr prof st mt sr jr gen col capt lt rev hon ' +
    'ph.d ca al dept est ed eds'
  ).split(' '),
);
/** Short words that are abbreviations only before a number (`No. 5`, `p. 12`), else the end of a sentence. */
const BEFORE_NUMBER = new Set('no nos p pp fig figs eq eqs sec sect ch chap vol art'.split(' '));
/** May end a sentence: they do when a word follows that usually begins one. */
const MAYBE = new Set(
  'etc inc ltd corp co u.s u.k e.u u.n a.m p.m b.c a.d jan feb mar apr jun jul aug sep sept oct nov dec'.split(' '),
);
const STARTERS = new Set(
  (
    'the a an this that these those it its they he she we you i if when while where in on at for from with without by as ' +
    'to and but or so then there here however also use see each every all no not both some any most other another ' +
    'after before because since once until unless note set call pass returns default what how why which who'
  ).split(' '),
);

function isSplit(block: Block): boolean {
  return block.kind === 'prose' || block.kind === 'item';
}

function isLead(last: Sentence, block: Block, next: Block | undefined): boolean {
  const introduces = next !== undefined && (next.kind !== 'prose' || block.kind === 'item') && next.kind !== 'heading';
  return (
    last.start >= block.start && isSplit(block) && /[:：]["”*_]*$/.test(last.text) && (introduces || next === undefined)
  );
}

function add(sentences: Sentence[], text: string, found: Span & { kind: SentenceKind }): void {
  const before = sentences.at(-1);
  const own = text.slice(found.start, found.end);
  if (own === '') return;
  if (before !== undefined && ONLY_CITATIONS.test(own)) {
    before.end = found.end;
    before.text = text.slice(before.start, before.end);
  } else sentences.push({ ...found, text: own });
}

function splitBlock(text: string, block: Span, masked: readonly Span[]): Span[] {
  const spans: Span[] = [];
  let start = block.start;
  const inside = text.slice(0, block.end);
  const parens = balancedParens(inside, block, masked);
  TERMINATOR.lastIndex = start;
  for (let match = TERMINATOR.exec(inside); match !== null; match = TERMINATOR.exec(inside)) {
    if (covers(masked, match.index) || covers(parens, match.index)) continue;
    const end = boundary(inside, start, match);
    if (end === undefined) continue;
    spans.push(trim(text, { start, end }));
    start = end;
    TERMINATOR.lastIndex = end;
  }
  spans.push(trim(text, { start, end: block.end }));
  return spans.filter((span) => span.end > span.start);
}

/** Where the sentence ends whose terminator was found, closing marks and citations included; undefined: it goes on. */
function boundary(text: string, start: number, match: RegExpExecArray): number | undefined {
  const mark = match[0];
  const after = match.index + mark.length;
  const closed = skip(CLOSERS, text, after);
  const end = skip(CITATIONS_HERE, text, closed);
  if (WIDE.test(mark)) return end;
  if (end < text.length && !/\s/.test(text[end] ?? '')) {
    // "…fast.[1]Next" still ends; "Node.js" or "3.14" does not.
    if (end === closed || !/\p{Lu}/u.test(text[end] ?? '')) return undefined;
  }
  const next = /^[\s"'“‘«(*_[]*(\S*)/u.exec(text.slice(end, end + 80))?.[1] ?? '';
  if (next === '' || end > closed) return end;
  const lower = /^\p{Ll}/u.test(next);
  if (lower && (closed > after || mark !== '.')) return mark === '?' && closed === after ? end : undefined;
  return mark === '.' && isAbbreviation(text.slice(Math.max(start, match.index - 400), match.index), next)
    ? undefined
    : end;
}

function isAbbreviation(before: string, next: string): boolean {
  const word = /[^\s([{"'“‘/—–,;]*$/u.exec(before)?.[0] ?? '';
  const lower = word.replace(/^[*_]+/, '').toLowerCase();
  const starts = STARTERS.has(next.toLowerCase().replace(/[^\p{L}]+$/u, ''));
  if (BEFORE_NUMBER.has(lower)) return /^\d/.test(next);
  if (NEVER.has(lower)) return true;
  if (MAYBE.has(lower)) return !(starts && /^\p{Lu}/u.test(next));
  if (/^\d{1,2}$/.test(lower)) return isEnumerated(before.slice(0, before.length - word.length), Number(lower));
  // Initials and dotted capitals: "J. Smith", "U.S.A. Government".
  return /^(?:\p{Lu}\.)*\p{Lu}$/u.test(word) && !starts;
}

/** "1. Install it 2. Run it" within a line: a number behind nothing or a colon, or the next of one seen before. */
function isEnumerated(before: string, number: number): boolean {
  return /(?:^|[:;])\s*$/.test(before) || (number > 1 && new RegExp(`(?:^|\\s)${number - 1}\\.\\s`).test(before));
}

/** Round brackets closed within the block and not longer than a remark: no sentence ends inside one. */
function balancedParens(text: string, block: Span, masked: readonly Span[]): Span[] {
  const spans: Span[] = [];
  const open: number[] = [];
  for (let at = block.start; at < block.end; at += 1) {
    const mark = text[at];
    if ((mark !== '(' && mark !== ')') || covers(masked, at)) continue;
    if (mark === '(') open.push(at);
    else {
      const from = open.pop();
      if (from !== undefined && open.length === 0 && at - from < 400) spans.push({ start: from, end: at });
    }
  }
  return spans;
}

function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

function trim(text: string, span: Span): Span {
  const own = text.slice(span.start, span.end);
  const start = span.start + (own.length - own.trimStart().length);
  return { start, end: Math.max(start, span.start + own.trimEnd().length) };
}
