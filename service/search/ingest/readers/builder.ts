/**
 * Writes the text of a format that is not text itself (HTML, PDF, DOCX) the way Markdown looks, section by section:
 * whatever reads a passage later, a model or a person, meets one way of writing headings, lists and tables.
 */
import { type Block, type Document, type Mark, type Section, Unreadable } from '../document.ts';

/** More text than any document for people has; a file that unpacks to more is an attack or data. */
const MAX_CHARS = 20_000_000;

export interface Builder {
  /** Level from 1; `anchor` is the id by which a browser finds it. */
  heading(level: number, text: string, anchor?: string): void;
  /** A block of its own; empty ones are left out. */
  block(kind: Block['kind'], text: string, head?: string): void;
  /** The first row is the header. */
  table(rows: readonly string[][]): void;
  code(text: string, language?: string): void;
  /** `ahead` counts characters of the block that comes next. */
  page(number: number, ahead?: number): void;
  anchor(id: string): void;
  /** The first heading is the title where none is given. */
  document(title?: string): Document;
  /** Characters so far. */
  size(): number;
}

export function createBuilder(): Builder {
  const parts: string[] = [];
  let length = 0;
  let first = '';
  let last: Block['kind'] | undefined;
  const path: { level: number; text: string }[] = [];
  const sections: Section[] = [{ heading: [], blocks: [] }];
  const pages: Mark<number>[] = [];
  const anchors: Mark<string>[] = [];
  const block = (kind: Block['kind'], text: string, head?: string) => {
    const body = text.trimEnd().replace(/^\s*\n/, '');
    if (body === '') return;
    if (length + body.length > MAX_CHARS) throw new Unreadable(`holds more than ${MAX_CHARS / 1e6} million characters`);
    // The entries of a list stand together.
    const gap = length === 0 ? '' : kind === 'item' && last === 'item' ? '\n' : '\n\n';
    last = kind;
    parts.push(gap);
    length += gap.length;
    sections.at(-1)?.blocks.push({
      kind,
      start: length,
      end: length + body.length,
      ...(head === undefined ? {} : { head }),
    });
    parts.push(body);
    length += body.length;
  };
  /** Where the next block begins, or right before it. */
  const next = () => (length > 0 ? length + 1 : 0);
  const anchor = (id: string) => {
    if (id !== '' && id.length <= 300) anchors.push({ at: next(), value: id });
  };
  return {
    heading(level, raw, id = '') {
      const text = oneLine(raw).slice(0, 200);
      if (text === '') return;
      while ((path.at(-1)?.level ?? 0) >= level) path.pop();
      path.push({ level, text });
      first ||= text;
      sections.push({ heading: path.map((part) => part.text), blocks: [] });
      anchor(id);
      block('text', `${'#'.repeat(Math.min(level, 6))} ${text}`);
    },
    block,
    table: (rows) => writeTable(block, rows),
    code(text, language = '') {
      if (text.trim() === '') return;
      const fence = fenceFor(text);
      block('code', `${fence}${language}\n${text.trimEnd()}\n${fence}`, `${fence}${language}`);
    },
    page: (number, ahead = 0) => void pages.push({ at: next() + ahead, value: number }),
    anchor,
    size: () => length,
    document: (title = '') => ({
      title: oneLine(title) || first,
      text: parts.join(''),
      sections: sections.filter((section) => section.blocks.length > 0),
      ...(pages.length > 0 ? { pages } : {}),
      ...(anchors.length > 0 ? { anchors } : {}),
    }),
  };
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Longer than any run of backticks in the text. */
export function fenceFor(text: string): string {
  const longest = Math.max(0, ...(text.match(/`{3,}/g) ?? []).slice(0, 1000).map((run) => run.length));
  return '`'.repeat(Math.min(Math.max(3, longest + 1), 50));
}

function writeTable(block: Builder['block'], rows: readonly string[][]): void {
  const filled = rows.map((row) => row.map(oneLine)).filter((row) => row.some((cell) => cell !== ''));
  const width = filled.reduce((most, row) => Math.max(most, row.length), 0);
  // One column is layout, not a table.
  if (width < 2) {
    for (const [cell = ''] of filled) block('text', cell);
    return;
  }
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: Math.min(width, 200) }, (_, at) => (cells[at] ?? '').replaceAll('|', '\\|')).join(' | ')} |`;
  const [header = [], ...body] = filled;
  const head = `${line(header)}\n|${' --- |'.repeat(Math.min(width, 200))}`;
  block('table', [head, ...body.map(line)].join('\n'), head);
}
