/** AsciiDoc as far as headings, lists, delimited blocks and tables. */
import type { Document } from '../document.ts';
import { createOutline, isBlank, type Outline } from './outline.ts';

interface Scan extends Outline {
  at: number;
}

const HEADING = /^(={1,6}|#{1,6})[ \t]+(\S.{0,300})$/;
const ITEM = /^\s*(?:[*.-]{1,5}|\d{1,5}\.|<\d{1,3}>)\s+\S/;
/** Blocks between two equal lines that are shown as they stand. */
const VERBATIM = /^(?:-{4,}|\.{4,}|`{3,}|\+{4,})[\w,]*\s*$/;
const TABLE = /^[|,:!]={3,}\s*$/;
const COMMENT = /^\/{4,}\s*$/;
/** Attributes, block attributes, anchors, includes, comments of a line, delimiters of blocks of text. */
const NOT_TEXT =
  /^(?::!?[\w-]+!?:(?:\s|$)|\[[^\]]*\]\s*$|\/\/|include::|ifdef::|ifndef::|endif::|toc::|image::|={4,}\s*$|\*{4,}\s*$|_{4,}\s*$|--\s*$|'{3,}\s*$|<<<\s*$|\+\s*$)/;
const MAX_LINE = 10_000;

export function readAsciiDoc(text: string): Document {
  const scan: Scan = { ...createOutline(text), at: 0 };
  while (scan.at < scan.lines.length) step(scan);
  return scan.document();
}

function step(scan: Scan): void {
  const line = textAt(scan, 0);
  if (isBlank(line)) scan.at++;
  else if (line.length > MAX_LINE) take(scan, 'text', 1);
  else if (!(heading(scan, line) || delimited(scan, line))) prose(scan, line);
}

function heading(scan: Scan, line: string): boolean {
  const [, marks, text] = HEADING.exec(line) ?? [];
  if (marks === undefined || text === undefined) return false;
  scan.enter(marks.length, plainAsciiDoc(text));
  take(scan, 'text', 1);
  // Author, revision and attributes follow the title at once.
  if (marks.length === 1) while (!isBlank(textAt(scan, 0)) && scan.at < scan.lines.length) scan.at++;
  return true;
}

function delimited(scan: Scan, line: string): boolean {
  const isComment = COMMENT.test(line);
  const isTable = TABLE.test(line);
  if (!isComment && !isTable && !VERBATIM.test(line)) return false;
  const fence = /^(?:`+|\S+)/.exec(line)?.[0] ?? line;
  let length = 1;
  while (scan.at + length < scan.lines.length && textAt(scan, length).trimEnd() !== fence) length++;
  if (isComment) scan.at += length + 1;
  else if (isTable) take(scan, 'table', length + 1, textAt(scan, 1).slice(0, 400));
  else take(scan, 'code', length + 1, line.trim());
  return true;
}

function prose(scan: Scan, line: string): void {
  if (NOT_TEXT.test(line)) {
    scan.at++;
    return;
  }
  let length = 1;
  while (continues(textAt(scan, length))) length++;
  take(scan, ITEM.test(line) ? 'item' : 'text', length);
}

function continues(line: string): boolean {
  if (isBlank(line) || line.length > MAX_LINE) return false;
  return !(
    HEADING.test(line) ||
    ITEM.test(line) ||
    VERBATIM.test(line) ||
    TABLE.test(line) ||
    COMMENT.test(line) ||
    NOT_TEXT.test(line)
  );
}

function take(scan: Scan, kind: 'text' | 'item' | 'code' | 'table', lines: number, head?: string): void {
  scan.push(kind, scan.at, scan.at + lines - 1, head);
  scan.at += lines;
}

function textAt(scan: Scan, ahead: number): string {
  return scan.lines[scan.at + ahead]?.text ?? '';
}

function plainAsciiDoc(text: string): string {
  return text
    .replace(/\[\[[^\]]*\]\]/g, '')
    .replace(/\s=+\s*$/, '')
    .replace(/(?:https?:\S+?|xref:\S+?|link:\S+?)\[([^\]]*)\]/g, '$1')
    .replace(/[`*]|(?<!\w)_+|_+(?!\w)/g, '');
}
