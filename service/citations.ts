/**
 * Finds and checks the citations of an answer. Pure; shared with the harness. `[1]`, `[1, 2]`, `[1][2]`, `[1-3]` and
 * their full-width forms are citations; the same in code, in links and as an index of an array is not.
 */
import { REFUSAL_SENTENCE } from './contract.ts';
import { codeSpans, covers, linkSpans, mergeSpans, type Span } from './markdown.ts';
import { isClaim, type Sentence, splitSentences } from './sentences.ts';

/** One bracket as it stands in the text, with the source numbers it names in the order written. */
export interface CitationMark extends Span {
  numbers: number[];
}

export interface CitedSentence extends Sentence {
  /** Numbers of existing sources, ascending, each once. */
  citations: number[];
}

export interface CheckedCitations {
  /** Numbers cited that a source has, ascending, each once. */
  citations: number[];
  /** Numbers cited that no source has, ascending, each once. */
  invalid: number[];
  /** The sentences that claim something (and any code block with a citation), in order. */
  sentences: CitedSentence[];
  /** Those of them without a citation of an existing source. */
  uncited: CitedSentence[];
}

/** Every citation in the text, in order. */
export function findCitations(text: string): CitationMark[] {
  const brackets = [...text.matchAll(BRACKET)];
  // Most passages have none, and where code and links stand need not be known then.
  if (brackets.length === 0) return [];
  const code = codeSpans(text);
  const masked = mergeSpans([...code, ...linkSpans(text, code)]);
  const marks: CitationMark[] = [];
  let indexEnd = -1;
  for (const match of brackets) {
    const end = match.index + match[0].length;
    if (covers(masked, match.index)) continue;
    const adjoins = marks.at(-1)?.end === match.index;
    if (match[1] !== undefined && !adjoins && (indexEnd === match.index || isOther(text, match.index, end, code))) {
      indexEnd = end;
      continue;
    }
    const numbers = readNumbers(match[1] ?? match[2] ?? '');
    if (numbers.length > 0) marks.push({ start: match.index, end, numbers });
  }
  return marks;
}

/** Checks the citations of an answer against its sources, which are numbered 1 to `sourceCount` (or as listed). */
export function checkCitations(answer: string, sources: number | readonly number[]): CheckedCitations {
  const known = new Set(typeof sources === 'number' ? Array.from({ length: sources }, (_, i) => i + 1) : sources);
  const marks = findCitations(answer);
  const cited = ascending(marks.flatMap((mark) => mark.numbers));
  const sentences: CitedSentence[] = [];
  for (const sentence of splitSentences(answer)) {
    const own = marks.filter((mark) => mark.start >= sentence.start && mark.end <= sentence.end);
    const citations = ascending(own.flatMap((mark) => mark.numbers)).filter((n) => known.has(n));
    if (isClaim(sentence) || citations.length > 0) sentences.push({ ...sentence, citations });
  }
  return {
    citations: cited.filter((n) => known.has(n)),
    invalid: cited.filter((n) => !known.has(n)),
    sentences,
    uncited: sentences.filter((sentence) => sentence.citations.length === 0),
  };
}

/** The text without its citations, and without the space that stood before them. */
export function stripCitations(text: string): string {
  let stripped = '';
  let from = 0;
  for (const mark of findCitations(text)) {
    stripped += text.slice(from, mark.start).replace(/[ \t]+$/, '');
    from = mark.end;
  }
  return stripped + text.slice(from);
}

/**
 * Whether the answer is the refusal sentence and nothing else; quotes, emphasis, spaces, a missing full stop, letter
 * case and a citation do not matter.
 */
export function isRefusal(answer: string): boolean {
  return bare(stripCitations(answer)) === bare(REFUSAL_SENTENCE);
}

const DIGITS = '[0-9０-９]{1,9}';
const NUMBER_LIST = String.raw`\s*${DIGITS}(?:\s*(?:[-–—,;、，；&]|and)\s*${DIGITS})*\s*`;
// The text of a link `[1](…)` and an escaped bracket are no citations.
const BRACKET = new RegExp(
  String.raw`(?<!\\)\[(${NUMBER_LIST})\](?!\()|[［【〔](${NUMBER_LIST})(?:†[^］】〕\n]*)?[］】〕]`,
  'g',
);

/** Names that hold lists in code: what stands in brackets behind them is an index. */
const LIST_NAMES = new Set(
  (
    'arr array args argv list items item data values value rows row results result matrix params param elements nodes ' +
    'keys children parts lines tokens chunks buffer buf bytes vec vector tuple match matches groups foo bar baz map dict ' +
    'stack queue str string input output words numbers nums users entries options env'
  ).split(' '),
);

/** True for brackets that mean something else: an index, a list as a value, the target of a reference link. */
function isOther(text: string, start: number, end: number, code: readonly Span[]): boolean {
  const before = text.slice(Math.max(0, start - 80), start);
  const after = text.slice(end, end + 2);
  if (/=\s*$/.test(before)) return true;
  if (start === 0 || covers(code, start - 1)) return false;
  if (/[\])]$/.test(before)) return isCallOrLink(before);
  const word = /[\p{L}\p{N}_$.]+$/u.exec(before)?.[0];
  if (word === undefined || /\.$/.test(word)) return false;
  // Behind a word without a space: prose such as "fast[1]." cites, `argv[2].x`, `fooBar[1]` and `a[1]` index.
  if (/^(?:\.\p{L}|\(|\s?=)/u.test(after)) return true;
  if (/^\p{N}+(?:[.,]\p{N}+)*$|\.(?:js|ts|md|json|io|com|org|html?)$/iu.test(word)) return false;
  return /[_$.]|\p{Ll}\p{Lu}|\p{L}\p{N}/u.test(word) || /^[a-z]$/i.test(word) || LIST_NAMES.has(word.toLowerCase());
}

/** `fn(x)[1]` and `[text][1]` are no citations; `(as said)[1]` is one. */
function isCallOrLink(before: string): boolean {
  return before.endsWith(']') || /[\p{L}\p{N}_$]\([^()]*\)$/u.test(before);
}

/** `1, 3-5` -> 1 3 4 5. A range backwards or of more than 50 gives its two ends, so that both are checked. */
function readNumbers(list: string): number[] {
  const numbers: number[] = [];
  for (const piece of list.normalize('NFKC').split(/[,;、&]|and/)) {
    const [from, to = from] = piece.split(/[-–—]/).map((part) => Number.parseInt(part, 10));
    if (from === undefined || to === undefined || Number.isNaN(from) || Number.isNaN(to)) continue;
    if (to < from || to - from > 50) numbers.push(from, to);
    else for (let n = from; n <= to; n += 1) numbers.push(n);
  }
  return numbers;
}

function ascending(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function bare(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[’‘]/g, "'")
    .replace(/\s+/g, ' ')
    .replace(/^[\s"'“”„«»*_`>]+|[\s"'“”„«»*_`.!]+$/g, '')
    .toLowerCase();
}
