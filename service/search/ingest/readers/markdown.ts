/**
 * Markdown: front matter, ATX, setext and HTML headings, fenced code, tables, lists, comments. A scanner over lines, in
 * time linear in the text: a document only has to be cut well, not rendered.
 */
import type { Block, Document, Section } from '../document.ts';
import { type Line, splitLines } from './lines.ts';

interface Scan {
  text: string;
  lines: Line[];
  at: number;
  sections: Section[];
  /** Open headings with their levels, outermost first. */
  path: { level: number; text: string }[];
  title: string;
  /** MDX: imports, exports and comments in braces are program, not text. */
  mdx: boolean;
  /** No comment is closed behind this offset: not to be looked for again. */
  openComment: number;
}

export function readMarkdown(text: string): Document {
  return read(text, false);
}

export function readMdx(text: string): Document {
  return read(text, true);
}

function read(text: string, mdx: boolean): Document {
  const lines = splitLines(text);
  const scan: Scan = { text, lines, at: 0, sections: [], path: [], title: '', mdx, openComment: text.length };
  skipFrontMatter(scan);
  open(scan);
  while (scan.at < scan.lines.length) step(scan);
  const sections = scan.sections.filter((section) => section.blocks.length > 0);
  return { title: scan.title, text, sections, lined: true };
}

/** What is longer is no line a person wrote, and would take the patterns below a long time. */
const MAX_LINE = 4000;

const FENCE = /^\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})([^`]*)$/;
const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const HTML_HEADING = /^\s*<h([1-6])\b[^>]*>(.*)$/i;
const DELIMITER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const SETEXT = /^ {0,3}(=+|-{2,})[ \t]*$/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;

function step(scan: Scan): void {
  const line = scan.lines[scan.at];
  if (line === undefined) return;
  if (line.text.length > MAX_LINE) long(scan);
  else if (line.text.trim() === '' || RULE.test(line.text)) scan.at++;
  else if (scan.mdx && program(scan, line)) return;
  else if (!(comment(scan, line) || code(scan, line) || heading(scan, line) || table(scan, line))) prose(scan, line);
}

/** YAML between lines of dashes, TOML between lines of plus signs. */
function skipFrontMatter(scan: Scan): void {
  const fence = scan.lines[0]?.text.trim();
  if (fence !== '---' && fence !== '+++') return;
  const closing = fence === '---' ? /^(?:---|\.\.\.)\s*$/ : /^\+\+\+\s*$/;
  const end = scan.lines.slice(0, 202).findIndex((line, at) => at > 0 && closing.test(line.text.slice(0, 100)));
  if (end === -1 || end > 200) return;
  const title = scan.lines
    .slice(1, end)
    .map(({ text }) => /^title\s*[:=]\s*(\S.*)$/i.exec(text.slice(0, 500))?.[1]?.trim());
  scan.title = (title.find((found) => found !== undefined) ?? '').replace(/^(['"])(.*)\1$/, '$2');
  scan.at = end + 1;
}

function comment(scan: Scan, line: Line): boolean {
  if (!/^\s*<!--/.test(line.text)) return false;
  const end = line.start >= scan.openComment ? -1 : scan.text.indexOf('-->', line.start);
  if (end === -1) scan.openComment = Math.min(scan.openComment, line.start);
  // Not closed: HTML would swallow the rest of the document; a person would rather have it read.
  const last = end === -1 ? scan.at : lineAt(scan, end);
  scan.at = last + 1;
  return true;
}

function long(scan: Scan): void {
  push(scan, { kind: 'text', start: scan.lines[scan.at]?.start ?? 0, end: endOf(scan, scan.at) });
  scan.at++;
}

/** Imports and exports go to the next blank line, comments in braces to their end. */
function program(scan: Scan, line: Line): boolean {
  const isBraced = /^\s*\{\/\*/.test(line.text);
  if (!isBraced && !/^(?:import|export)\s/.test(line.text)) return false;
  const isEnd = (text: string) => (isBraced ? text.includes('*/}') : text.trim() === '');
  const length = scan.lines.slice(scan.at, scan.at + 500).findIndex(({ text }) => isEnd(text));
  scan.at += Math.max(length, 0) + 1;
  return true;
}

function code(scan: Scan, line: Line): boolean {
  const fence = FENCE.exec(line.text)?.[1];
  if (fence === undefined) return false;
  const closing = new RegExp(`^\\s*${fence[0]}{${fence.length},}\\s*$`);
  let last = scan.at + 1;
  while (last < scan.lines.length && !closing.test(scan.lines[last]?.text ?? '')) last++;
  push(scan, { kind: 'code', start: line.start, end: endOf(scan, last), head: line.text.trim() });
  scan.at = last + 1;
  return true;
}

function heading(scan: Scan, line: Line): boolean {
  const atx = ATX.exec(line.text);
  if (atx !== null) {
    enter(scan, (atx[1] ?? '#').length, atx[2] ?? '', line.start);
    scan.at++;
    return true;
  }
  const html = HTML_HEADING.exec(line.text);
  if (html !== null) {
    const [level = '1', inner = ''] = html.slice(1);
    const close = new RegExp(`</h${level}\\s*>`, 'i');
    const last = scan.lines.slice(scan.at, scan.at + 5).findIndex((next) => close.test(next.text));
    const count = Math.max(last, 0) + 1;
    const text = last > 0 ? scan.text.slice(line.start, endOf(scan, scan.at + last)) : inner;
    enter(scan, Number(level), text.replace(close, ' '), line.start);
    scan.at += count;
    return true;
  }
  const under = SETEXT.exec(scan.lines[scan.at + 1]?.text ?? '');
  if (under === null || ITEM.test(line.text) || line.text.includes('|')) return false;
  enter(scan, under[1]?.startsWith('=') ? 1 : 2, line.text, line.start);
  scan.at += 2;
  return true;
}

function table(scan: Scan, line: Line): boolean {
  const next = scan.lines[scan.at + 1]?.text ?? '';
  if (!(line.text.includes('|') && next.includes('|') && DELIMITER.test(next))) return false;
  let last = scan.at + 1;
  while ((scan.lines[last + 1]?.text ?? '').includes('|')) last++;
  const head = scan.text.slice(line.start, endOf(scan, scan.at + 1));
  push(scan, { kind: 'table', start: line.start, end: endOf(scan, last), head });
  scan.at = last + 1;
  return true;
}

/** A paragraph or one list item: up to a blank line, the next item, or a line that starts something else. */
function prose(scan: Scan, line: Line): void {
  let last = scan.at;
  while (continues(scan, last + 1)) last++;
  push(scan, { kind: ITEM.test(line.text) ? 'item' : 'text', start: line.start, end: endOf(scan, last) });
  scan.at = last + 1;
}

function continues(scan: Scan, at: number): boolean {
  const text = scan.lines[at]?.text;
  if (text === undefined || text.length > MAX_LINE || text.trim() === '') return false;
  if (ITEM.test(text) || ATX.test(text) || FENCE.test(text) || HTML_HEADING.test(text)) return false;
  const next = scan.lines[at + 1]?.text ?? '';
  return !(text.includes('|') && next.includes('|') && DELIMITER.test(next)) && !SETEXT.test(next);
}

function enter(scan: Scan, level: number, raw: string, start: number): void {
  const text = plain(raw);
  while ((scan.path.at(-1)?.level ?? 0) >= level) scan.path.pop();
  if (text !== '') scan.path.push({ level, text });
  if (scan.title === '' && text !== '') scan.title = text;
  open(scan);
  // The heading's own line opens the passage, so that a passage read alone says what it is about.
  push(scan, {
    kind: 'text',
    start,
    end: endOf(scan, scan.at + (SETEXT.test(scan.lines[scan.at + 1]?.text ?? '') ? 1 : 0)),
  });
}

function open(scan: Scan): void {
  scan.sections.push({ heading: scan.path.map((part) => part.text), blocks: [] });
}

function push(scan: Scan, block: Block): void {
  scan.sections.at(-1)?.blocks.push(block);
}

/** A heading as a person reads it: no markup, no anchors, links by their text. */
export function plain(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^<>]{0,500}>/g, ' ')
    .replace(/[`*]|\{#[^}]*\}|(?<!\w)_+|_+(?!\w)/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200);
}

function endOf(scan: Scan, at: number): number {
  return (scan.lines[Math.min(at, scan.lines.length - 1)] ?? { end: scan.text.length }).end;
}

function lineAt(scan: Scan, offset: number): number {
  let at = scan.at;
  while (at + 1 < scan.lines.length && (scan.lines[at + 1]?.start ?? 0) <= offset) at++;
  return at;
}
