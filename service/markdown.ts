/**
 * The little of Markdown that sentences and citations must know: where code and links stand, and which lines form a
 * block. A full parser would reject or rewrite what models really write (unclosed fences, loose lists); this one only
 * marks ranges of the text as it stands. Offsets count UTF-16 code units, end exclusive.
 */

export interface Span {
  start: number;
  end: number;
}

export type BlockKind = 'prose' | 'item' | 'heading' | 'row' | 'code';

/** A run of lines read as one; `start` lies behind its marker (`- `, `1. `, `## `, `> `). */
export interface Block extends Span {
  kind: BlockKind;
}

/** Cuts a text into blocks, in order. Blank lines, rules, table separators and link definitions belong to none. */
export function scanBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  const lines = readLines(text);
  let open: Block | undefined;
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as Line;
    const fence = fenceOf(line.body);
    if (fence !== undefined || isIndentedCode(lines, index, blocks)) {
      const last = fence === undefined ? endOfIndented(lines, index) : endOfFence(lines, index, fence);
      blocks.push({ kind: 'code', start: line.bodyStart, end: (lines[last] as Line).end });
      index = last;
      open = undefined;
    } else if (open !== undefined && SETEXT.test(line.body)) {
      if (!text.slice(open.start, open.end).includes('\n') && open.kind === 'prose') open.kind = 'heading';
      open = undefined;
    } else if (isSkipped(line.body)) {
      open = undefined;
    } else {
      const start = startOfBlock(lines, index, open);
      if (start === undefined && open !== undefined) open.end = line.end;
      else {
        const { kind, marker } = start ?? { kind: 'prose', marker: 0 };
        const block: Block = { kind, start: line.bodyStart + marker, end: line.end };
        blocks.push(block);
        open = kind === 'prose' || kind === 'item' ? block : undefined;
      }
    }
  }
  return blocks.filter((block) => text.slice(block.start, block.end).trim() !== '');
}

/** Code: fenced and indented blocks, code spans, `<code>` and `<pre>` elements. Ascending, not overlapping. */
export function codeSpans(text: string): Span[] {
  const spans: Span[] = [];
  for (const block of scanBlocks(text)) {
    if (block.kind === 'code') spans.push({ start: block.start, end: block.end });
    else spans.push(...inlineCode(text, block));
  }
  return spans;
}

/** Links and images with their targets, autolinks and bare URLs; in code there is none. Ascending. */
export function linkSpans(text: string, code: readonly Span[] = codeSpans(text)): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(LINK)) {
    if (!covers(code, match.index)) spans.push({ start: match.index, end: match.index + match[0].length });
  }
  return spans;
}

/** True when a span of the list (ascending, not overlapping) holds the offset. */
export function covers(spans: readonly Span[], offset: number): boolean {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle] as Span).end <= offset) low = middle + 1;
    else high = middle;
  }
  const span = spans[low];
  return span !== undefined && span.start <= offset;
}

/** Sorts spans and joins those that overlap. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && span.start < last.end) last.end = Math.max(last.end, span.end);
    else merged.push({ ...span });
  }
  return merged;
}

const SETEXT = /^(?:=+|-{2,})\s*$/;
const RULE = /^\s*([-*_])(?:\s*\1){2,}\s*$/;
const DEFINITION = /^\s{0,3}\[[^\]\n]+\]:\s+\S+(?:\s+["'(][^\n]*)?\s*$/;
const ITEM = /^\s*(?:[-*+•‣◦]|(\d{1,3})[.)])\s+(?:\[[ xX]\]\s+)?/;
const HEADING = /^\s{0,3}#{1,6}(?:\s+|$)|^\s*(?=<h[1-6][\s>])/i;
const BOLD_LINE = /^\s*(\*\*|__)[^*_\n]+\1:?\s*$/;
const SEPARATOR = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const BRACKETED = String.raw`\[(?:[^[\]\n]|\\.|\[[^[\]\n]*\])*\]`;
// Inline link or image, reference link, autolink, bare URL, definition of a reference.
const LINK = new RegExp(
  `!?${BRACKETED}\\([^()\\s]*(?:\\([^()\\s]*\\)[^()\\s]*)*(?:\\s+["'][^"'\\n]*["'])?\\)` +
    `|!?\\[(?!\\s*\\d+(?:\\s*[-–,;]\\s*\\d+)*\\s*\\])(?:[^[\\]\\n]|\\\\.)+\\]\\[[^\\]\\n]*\\]` +
    `|<[a-z][a-z0-9+.-]*:[^\\s<>]*>|\\bhttps?:\\/\\/[^\\s<>"'\`]*[^\\s<>"'\`.,;:!?)\\]]` +
    `|^ {0,3}\\[[^\\]\\n]+\\]:[ \\t]+\\S+(?:[ \\t]+["'(][^\\n]*)?[ \\t]*$`,
  'gim',
);

interface Line {
  /** The line without the markers of a block quote. */
  body: string;
  bodyStart: number;
  end: number;
}

function readLines(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  while (start <= text.length) {
    const newline = text.indexOf('\n', start);
    const next = newline === -1 ? text.length : newline;
    const end = next > start && text[next - 1] === '\r' ? next - 1 : next;
    const quote = /^\s{0,3}(?:>\s?)+/.exec(text.slice(start, end))?.[0].length ?? 0;
    lines.push({ body: text.slice(start + quote, end), bodyStart: start + quote, end });
    start = next + 1;
  }
  return lines;
}

function fenceOf(body: string): string | undefined {
  const match = /^\s*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(`{3,}|~{3,})([^\n]*)$/.exec(body);
  // ```code``` on one line is a code span, not a fence.
  return match?.[1]?.startsWith('`') && match[2]?.includes('`') ? undefined : match?.[1];
}

/** Index of the closing line; a fence never closed goes to the end, as a stream cut short leaves it. */
function endOfFence(lines: readonly Line[], from: number, fence: string): number {
  const closing = new RegExp(`^\\s*${fence[0]}{${fence.length},}\\s*$`);
  for (let index = from + 1; index < lines.length; index += 1) {
    if (closing.test((lines[index] as Line).body)) return index;
  }
  return lines.length - 1;
}

function isIndentedCode(lines: readonly Line[], index: number, blocks: readonly Block[]): boolean {
  const indented = /^(?: {4}|\t)\s*\S/;
  const blankBefore = index === 0 || (lines[index - 1] as Line).body.trim() === '';
  const inList = blocks.at(-1)?.kind === 'item';
  return blankBefore && !inList && indented.test((lines[index] as Line).body);
}

function endOfIndented(lines: readonly Line[], from: number): number {
  let last = from;
  for (let index = from + 1; index < lines.length; index += 1) {
    const { body } = lines[index] as Line;
    if (/^(?: {4}|\t)/.test(body) && body.trim() !== '') last = index;
    else if (body.trim() !== '') break;
  }
  return last;
}

function isSkipped(body: string): boolean {
  return body.trim() === '' || RULE.test(body) || DEFINITION.test(body) || (body.includes('|') && SEPARATOR.test(body));
}

/** The kind of block that begins on this line, or undefined when the line continues the open one. */
function startOfBlock(lines: readonly Line[], index: number, open: Block | undefined) {
  const { body } = lines[index] as Line;
  const heading = HEADING.exec(body);
  if (heading !== null) return { kind: 'heading' as const, marker: heading[0].length };
  if (body.includes('|') && isTable(lines, index)) {
    const next = lines[index + 1]?.body ?? '';
    const isHeader = next.includes('|') && SEPARATOR.test(next);
    return { kind: isHeader ? ('heading' as const) : ('row' as const), marker: 0 };
  }
  const item = ITEM.exec(body);
  // In the middle of a paragraph "2019. The" is wrapped prose: as in CommonMark only a first item interrupts it.
  if (item !== null && (open?.kind !== 'prose' || item[1] === undefined || item[1] === '1')) {
    return { kind: 'item' as const, marker: item[0].length };
  }
  if (open === undefined && BOLD_LINE.test(body)) return { kind: 'heading' as const, marker: 0 };
  return open === undefined ? { kind: 'prose' as const, marker: 0 } : undefined;
}

/** A line with a bar is of a table when the lines with bars around it hold a separator. */
function isTable(lines: readonly Line[], index: number): boolean {
  const isBar = (at: number) => lines[at]?.body.includes('|') === true;
  if (isBar(index + 1) && SEPARATOR.test((lines[index + 1] as Line).body)) return true;
  for (let above = index - 1; isBar(above); above -= 1) {
    if (SEPARATOR.test((lines[above] as Line).body)) return true;
  }
  return /^\s*\|.*\|\s*$/.test((lines[index] as Line).body);
}

/** Code spans as in CommonMark: a run of backticks closed by a run as long, within the block. */
function inlineCode(text: string, block: Block): Span[] {
  const spans: Span[] = [];
  const pattern = /(?<![\\`])(`+)(?!`)|<(code|pre)\b[^>]*>/gi;
  pattern.lastIndex = block.start;
  for (let match = pattern.exec(text); match !== null && match.index < block.end; match = pattern.exec(text)) {
    const closing =
      match[1] === undefined ? new RegExp(`</${match[2]}>`, 'gi') : new RegExp(`(?<!\`)${match[1]}(?!\`)`, 'g');
    closing.lastIndex = pattern.lastIndex;
    const found = closing.exec(text);
    if (found === null || found.index >= block.end) continue;
    const end = found.index + found[0].length;
    spans.push({ start: match.index, end });
    pattern.lastIndex = end;
  }
  return spans;
}
