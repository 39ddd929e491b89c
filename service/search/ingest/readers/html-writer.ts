/** Turns the elements of a page's content into blocks of text. Every stack is a list, so that no depth of nesting is too deep. */
import { type Builder, oneLine } from './builder.ts';

type Attributes = Readonly<Record<string, string>>;

export interface HtmlWriter {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(text: string): void;
  /** Ends the paragraph that is open. */
  flush(): void;
}

interface State {
  builder: Builder;
  /** Text of the block that is open; in a table that of the cell. */
  open: string;
  /** Level of the heading that is open, 0 for none. */
  heading: number;
  anchor: string;
  /** The lists that are open: the next number, or 0 where there are bullets. */
  lists: number[];
  item: string;
  pre: number;
  language: string;
  /** How many tables are open: the outermost is written, an inner one is text of its cell. */
  tables: number;
  rows: string[][];
  code: number;
  /** Numbers of the tables that are no tables, and how many have begun. */
  layoutTables: ReadonlySet<number>;
  seenTables: number;
  /** The last link within the page: where it leads, where it begins and ends in the open block. */
  link: { href: string; start: number; end: number } | undefined;
}

/** Elements that begin and end a block. */
const BLOCKS = new Set(
  'p div section article main header footer aside blockquote figure figcaption details summary dl dt dd ul ol li table tr td th caption address fieldset body hr center'.split(
    ' ',
  ),
);
const MAX_DEPTH = 20;

export function createHtmlWriter(builder: Builder, layoutTables: ReadonlySet<number>): HtmlWriter {
  const state: State = {
    builder,
    open: '',
    heading: 0,
    anchor: '',
    lists: [],
    item: '',
    pre: 0,
    language: '',
    tables: 0,
    rows: [],
    code: 0,
    layoutTables,
    seenTables: 0,
    link: undefined,
  };
  return {
    open: (name, attributes) => (state.tables > 0 ? openInTable(state, name) : openElement(state, name, attributes)),
    close: (name) => (state.tables > 0 ? closeInTable(state, name) : closeElement(state, name)),
    text: (text) => {
      state.open += state.pre > 0 || /^\S+$/.test(text) ? text : text.replace(/\s+/g, ' ');
    },
    flush: () => flush(state),
  };
}

function openElement(state: State, name: string, attributes: Attributes): void {
  if (BLOCKS.has(name)) flush(state);
  if (name === 'a' && attributes.href?.startsWith('#'))
    state.link = { href: attributes.href, start: state.open.length, end: 0 };
  const level = /^h([1-6])$/.exec(name)?.[1];
  if (level !== undefined) {
    flush(state);
    state.heading = Number(level);
    state.anchor = attributes.id ?? '';
  } else if ((name === 'section' || name === 'div' || name === 'dt' || name === 'a') && attributes.id !== undefined) {
    if (state.heading > 0) state.anchor ||= attributes.id;
    else if (name !== 'a') state.builder.anchor(attributes.id);
  } else if (name === 'br') state.open += '\n';
  else if (name === 'ul' || name === 'ol')
    state.lists.push(name === 'ol' ? Number.parseInt(attributes.start ?? '1', 10) || 1 : 0);
  else if (name === 'li') state.item = marker(state);
  else if (name === 'pre') openPre(state, attributes);
  else if (name === 'code' || name === 'kbd' || name === 'samp') openCode(state, attributes);
  else if (name === 'table' && !state.layoutTables.has(state.seenTables++)) {
    state.tables = 1;
    state.rows = [];
  }
}

function closeElement(state: State, name: string): void {
  if (/^h[1-6]$/.test(name) && state.heading > 0) {
    state.builder.heading(state.heading, state.open.replace(/[¶#§]\s*$/, ''), state.anchor);
    state.heading = 0;
    state.open = '';
  } else if (name === 'pre' && state.pre > 0) {
    state.builder.code(state.open.replace(/^\n/, ''), state.language);
    state.open = '';
    state.pre = 0;
  } else if (BLOCKS.has(name)) flush(state);
  if (name === 'ul' || name === 'ol') state.lists.pop();
  if (name === 'a' && state.link !== undefined) state.link.end ||= state.open.length;
  if (name === 'code' || name === 'kbd' || name === 'samp') closeCode(state);
}

function openInTable(state: State, name: string): void {
  const isOuter = state.tables === 1;
  if (name === 'table') {
    state.tables++;
    state.seenTables++;
  } else if (isOuter && name === 'tr') {
    state.rows.push([]);
    state.open = '';
  } else if (isOuter && (name === 'td' || name === 'th' || name === 'caption')) state.open = '';
  else if (name === 'br' || name === 'pre' || BLOCKS.has(name)) state.open += ' ';
}

function closeInTable(state: State, name: string): void {
  if (name === 'table') {
    state.tables--;
    if (state.tables > 0) return;
    state.open = '';
    state.builder.table(state.rows);
    state.rows = [];
  } else if (state.tables === 1 && (name === 'td' || name === 'th')) {
    if (state.rows.length === 0) state.rows.push([]);
    state.rows.at(-1)?.push(oneLine(state.open));
    state.open = '';
  } else if (state.tables === 1 && name === 'caption') {
    state.builder.block('text', oneLine(state.open));
    state.open = '';
  }
}

function openPre(state: State, attributes: Attributes): void {
  flush(state);
  state.pre++;
  state.language = languageOf(attributes);
}

function openCode(state: State, attributes: Attributes): void {
  if (state.pre > 0) state.language ||= languageOf(attributes);
  else if (state.heading === 0 && state.code++ === 0) state.open += '`';
}

function closeCode(state: State): void {
  if (state.pre > 0 || state.heading > 0 || state.code === 0) return;
  if (--state.code === 0) state.open += '`';
}

function languageOf(attributes: Attributes): string {
  return /(?:^|\s)(?:language|lang|highlight-source|highlight)-([\w+#-]{1,20})/.exec(attributes.class ?? '')?.[1] ?? '';
}

function marker(state: State): string {
  const depth = Math.min(state.lists.length, MAX_DEPTH);
  const number = state.lists.at(-1) ?? 0;
  if (number > 0) state.lists[state.lists.length - 1] = number + 1;
  return `${'  '.repeat(Math.max(0, depth - 1))}${number > 0 ? `${number}.` : '-'} `;
}

function flush(state: State): void {
  if (state.pre > 0 || state.heading > 0) return;
  const { open, item, link } = state;
  state.open = '';
  state.code = 0;
  state.link = undefined;
  const text = tidy(open);
  if (text === '' || text === '``') return;
  state.item = '';
  if (item === '') {
    state.builder.block('text', text);
    return;
  }
  // An entry of a table of contents is written as a link, by which the chunker knows it.
  const isEntry =
    link !== undefined && tidy(open.slice(link.start, link.end)) === text && !/[[\]()\n]/.test(text + link.href);
  state.builder.block('item', isEntry ? `${item}[${text}](${link.href})` : `${item}${text}`);
}

function tidy(text: string): string {
  return text
    .split('\n')
    .map(oneLine)
    .filter((line) => line !== '')
    .join('\n');
}
