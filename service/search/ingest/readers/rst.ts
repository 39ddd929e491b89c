/** reStructuredText as far as headings, lists, code and tables: levels by the order in which adornments first appear. */
import type { Document } from '../document.ts';
import { createOutline, indentOf, isBlank, type Outline } from './outline.ts';

interface Scan extends Outline {
  at: number;
  /** Adornments by level, outermost first: a character, doubled when there is a line above too. */
  levels: string[];
}

const ADORNMENT = /^([!-/:-@[-`{-~])\1{2,}[ \t]*$/;
const ITEM = /^\s*(?:[-*+•]|\(?(?:\d{1,5}|[a-zA-Z#])[.)])\s/;
/** Directives whose content is shown as it stands. */
const CODE = /^\s*\.\.\s+(?:code-block|code|sourcecode|literalinclude|parsed-literal|highlight|doctest|math)::/;
const DIRECTIVE = /^\s*\.\.\s+[\w:-]+::/;
const COMMENT = /^\s*\.\.(?:\s|$)/;
/** Directives that hold no text for readers of the document. */
const NO_TEXT =
  /^\s*\.\.\s+(?:toctree|contents|image|figure|include|index|raw|meta|only|highlight|module|currentmodule|default-domain)::/;
const MAX_LINE = 10_000;

export function readRst(text: string): Document {
  const scan: Scan = { ...createOutline(text), at: 0, levels: [] };
  while (scan.at < scan.lines.length) step(scan);
  return scan.document();
}

function step(scan: Scan): void {
  const line = textAt(scan, 0);
  if (isBlank(line)) scan.at++;
  else if (line.length > MAX_LINE) take(scan, 'text', 1);
  else if (heading(scan) || marked(scan, line) || table(scan, line)) return;
  else paragraph(scan, line);
}

function heading(scan: Scan): boolean {
  const [first, second, third] = [textAt(scan, 0), textAt(scan, 1), textAt(scan, 2)];
  const over = ADORNMENT.exec(first)?.[1];
  if (over !== undefined && !isBlank(second) && third.trim() === first.trim() && second.length <= MAX_LINE) {
    return enter(scan, over + over, second, 3);
  }
  const under = ADORNMENT.exec(second)?.[1];
  // A line under the text must be as long as the text, or it is a row of dashes.
  if (under === undefined || over !== undefined || indentOf(first) > 0) return false;
  if (second.trim().length < Math.min(first.trim().length, 4) || first.length > 300) return false;
  return enter(scan, under, first, 2);
}

function enter(scan: Scan, adornment: string, text: string, lines: number): true {
  if (!scan.levels.includes(adornment)) scan.levels.push(adornment);
  scan.enter(scan.levels.indexOf(adornment) + 1, plainRst(text));
  take(scan, 'text', lines);
  return true;
}

/** What begins with two dots: code, a directive with text in it, a target, or a comment. */
function marked(scan: Scan, line: string): boolean {
  if (!COMMENT.test(line)) return false;
  const end = endOfIndented(scan, indentOf(line));
  if (CODE.test(line) && !NO_TEXT.test(line)) take(scan, 'code', end - scan.at, line.trim().slice(0, 200));
  else if (DIRECTIVE.test(line) && !NO_TEXT.test(line)) directive(scan, end);
  else scan.at = end;
  return true;
}

/** A note, a warning, a described function: its first line says what it is, its content is text. */
function directive(scan: Scan, end: number): void {
  take(scan, 'text', 1);
  while (scan.at < end) {
    const line = textAt(scan, 0);
    if (isBlank(line)) scan.at++;
    else if (!marked(scan, line)) paragraph(scan, line);
  }
}

function table(scan: Scan, line: string): boolean {
  const isGrid = /^\s*\+[-=+]{3,}\+\s*$/.test(line);
  const isSimple = /^\s*=+(?:\s+=+)+\s*$/.test(line);
  if (!isGrid && !isSimple) return false;
  let length = 1;
  let rules = 1;
  for (; ; length++) {
    const next = textAt(scan, length);
    if (isGrid ? !/^\s*[+|]/.test(next) : isBlank(next) && rules > 2) break;
    if (isSimple && /^\s*=+(?:\s+=+)+\s*$/.test(next)) rules++;
    if (isBlank(next) && (isGrid || isBlank(textAt(scan, length + 1)))) break;
    if (scan.at + length >= scan.lines.length) break;
  }
  const header = scan.lines.slice(scan.at, scan.at + Math.min(length, 3)).map(({ text }) => text);
  take(scan, 'table', length, header.join('\n').slice(0, 400));
  return true;
}

/** Up to a blank line, or the next item; a paragraph that ends with two colons announces code. */
function paragraph(scan: Scan, line: string): void {
  const isItem = ITEM.test(line);
  let length = 1;
  while (
    !isBlank(textAt(scan, length)) &&
    !ITEM.test(textAt(scan, length).slice(0, 200)) &&
    !startsHeading(scan, length)
  )
    length++;
  const last = textAt(scan, length - 1);
  const indent = indentOf(line);
  take(scan, isItem ? 'item' : 'text', length);
  if (!/::[ \t]*$/.test(last.slice(-100))) return;
  while (scan.at < scan.lines.length && isBlank(textAt(scan, 0))) scan.at++;
  if (indentOf(textAt(scan, 0)) > indent) take(scan, 'code', endOfIndented(scan, indent, 0) - scan.at);
}

function startsHeading(scan: Scan, ahead: number): boolean {
  return ADORNMENT.test(textAt(scan, ahead + 1).slice(0, 300)) && indentOf(textAt(scan, ahead)) === 0;
}

/** The first line behind what is indented deeper than `indent`. */
function endOfIndented(scan: Scan, indent: number, from = 1): number {
  let at = scan.at + from;
  let last = scan.at + from;
  for (; at < scan.lines.length; at++) {
    const line = scan.lines[at]?.text ?? '';
    if (isBlank(line)) continue;
    if (indentOf(line) <= indent) break;
    last = at + 1;
  }
  return Math.max(last, scan.at + 1);
}

function take(scan: Scan, kind: 'text' | 'item' | 'code' | 'table', lines: number, head?: string): void {
  scan.push(kind, scan.at, scan.at + lines - 1, head);
  scan.at += lines;
}

function textAt(scan: Scan, ahead: number): string {
  return scan.lines[scan.at + ahead]?.text ?? '';
}

/** A heading without roles, targets and marks of emphasis. */
function plainRst(text: string): string {
  return text
    .slice(0, 500)
    .replace(/:[\w:+.-]{1,40}:`([^`<]*)(?:<[^`>]*>)?`/g, '$1')
    .replace(/`+([^`<]*?)\s*(?:<[^`>]*>)?`+_{0,2}/g, '$1')
    .replace(/\*+/g, '');
}
