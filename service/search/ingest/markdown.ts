/**
 * Markdown: front matter, ATX, setext and HTML headings, fenced code, tables, lists, comments. A scanner over lines, in
 * time linear in the text: a document only has to be cut well, not rendered.
 */
import type { Block, Document, Reader, Section } from './document.ts';
import { type Line, splitLines } from './lines.ts';

export const markdownReader: Reader = {
  name: 'markdown',
  extensions: ['.md', '.markdown', '.mdx', '.mkd'],
  read: readMarkdown,
};

interface Scan {
  text: string;
  lines: Line[];
  at: number;
  sections: Section[];
  /** Open headings with their levels, outermost first. */
  path: { level: number; text: string }[];
  title: string;
}

export function readMarkdown(text: string): Document {
  const scan: Scan = { text, lines: splitLines(text), at: 0, sections: [], path: [], title: '' };
  skipFrontMatter(scan);
  open(scan);
  while (scan.at < scan.lines.length) step(scan);
  return { title: scan.title, text, sections: scan.sections.filter((section) => section.blocks.length > 0) };
}

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
  if (line.text.trim() === '' || RULE.test(line.text)) scan.at++;
  else if (!(comment(scan, line) || code(scan, line) || heading(scan, line) || table(scan, line))) prose(scan, line);
}

function skipFrontMatter(scan: Scan): void {
  if (scan.lines[0]?.text.trim() !== '---') return;
  const end = scan.lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)\s*$/.test(line.text));
  if (end === -1 || end > 200) return;
  const title = scan.lines.slice(1, end).map((line) => /^title:\s*(.+?)\s*$/i.exec(line.text)?.[1]);
  scan.title = (title.find((found) => found !== undefined) ?? '').replace(/^(['"])(.*)\1$/, '$2');
  scan.at = end + 1;
}

function comment(scan: Scan, line: Line): boolean {
  if (!/^\s*<!--/.test(line.text)) return false;
  const end = scan.text.indexOf('-->', line.start);
  // Not closed: HTML would swallow the rest of the document; a person would rather have it read.
  const last = end === -1 ? scan.at : lineAt(scan, end);
  scan.at = last + 1;
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
  if (text === undefined || text.trim() === '') return false;
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
