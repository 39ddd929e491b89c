/** Lines of pages to headings, paragraphs, list items and tables. */
import type { Builder } from './builder.ts';
import type { Line } from './pdf-lines.ts';

export interface Blocks {
  page(number: number, lines: readonly Line[]): void;
  end(): void;
}

/** Letters so much larger than those of the text are a heading's. */
const HEADING_SIZE = 1.12;
const MAX_HEADING = 200;
const BULLET = /^(?:[•●◦▪■‣∙·*–-]|\d{1,3}[.)]|\(?[a-z][.)])\s+(?=\S)/;

interface State {
  builder: Builder;
  body: number;
  /** Sizes of headings, largest first: their place is the level. */
  sizes: number[];
  /** Usual distance of two lines on this page. */
  leading: number;
  /** The right edge that lines of text reach. */
  right: number;
  open: Line[];
}

export function createBlocks(builder: Builder, all: readonly Line[]): Blocks {
  const body = commonest(all.map(({ size, text }) => [size, text.length]));
  const sizes = [...new Set(all.filter((line) => isLarge(line, body)).map(({ size }) => size))].sort((a, b) => b - a);
  const state: State = { builder, body, sizes, leading: 0, right: 0, open: [] };
  return {
    page(number, lines) {
      state.leading = leadingOf(lines, body);
      state.right = quantile(
        lines.filter((line) => line.size <= body).map(({ right }) => right),
        0.9,
      );
      const goesOn = state.open.length > 0 && !endsSentence(state.open);
      if (!goesOn) flush(state);
      lines.forEach((line, at) => {
        if (startsNew(state, line, goesOn && at === 0)) flush(state);
        state.open.push(at === 0 ? { ...line, page: number } : line);
      });
    },
    end: () => flush(state),
  };
}

function isLarge({ size, text }: Line, body: number): boolean {
  return size >= body * HEADING_SIZE && text.length <= MAX_HEADING && /\p{L}/u.test(text) && !text.includes('\t');
}

/** Whether a line begins a block: another size, more space above, a bullet, a row of a table, or a short line before it. */
function startsNew(state: State, line: Line, overPage: boolean): boolean {
  const before = state.open.at(-1);
  if (before === undefined) return false;
  if (isLarge(line, state.body) !== isLarge(before, state.body) || isRow(line) !== isRow(before)) return true;
  if (isLarge(line, state.body) && line.size !== before.size) return true;
  if (BULLET.test(line.text)) return true;
  if (overPage) return false;
  const distance = before.y - line.y;
  if (distance < 0 || distance > state.leading * 1.35) return true;
  return !isRow(line) && before.right < state.right * 0.75 && /[.!?:]["”’)]?$/.test(before.text);
}

function flush(state: State): void {
  const [first] = state.open;
  const lines = state.open;
  state.open = [];
  if (first === undefined) return;
  const together = lines.map((line) => line.text).join(' ');
  if (first.page !== undefined) state.builder.page(first.page);
  if (isLarge(first, state.body) && together.length <= MAX_HEADING)
    state.builder.heading(state.sizes.indexOf(first.size) + 1, together);
  else if (isRow(first) && lines.length > 1) state.builder.table(lines.map(({ text }) => text.split('\t')));
  else paragraph(state, lines);
}

function paragraph({ builder }: State, lines: readonly Line[]): void {
  let text = '';
  for (const [at, line] of lines.entries()) {
    text = joined(text, line);
    // A passage from the middle of a paragraph stands on the page that had begun by then.
    if (at > 0 && line.page !== undefined) builder.page(line.page, Math.max(0, text.length - line.text.length));
  }
  const bullet = BULLET.exec(text)?.[0];
  if (bullet === undefined) builder.block('text', text);
  else builder.block('item', `${/^\d/.test(bullet) ? bullet : '- '}${text.slice(bullet.length)}`);
}

function isRow({ text }: Line): boolean {
  return text.includes('\t');
}

function endsSentence(open: readonly Line[]): boolean {
  const last = open.at(-1);
  return last === undefined || isRow(last) || /[.!?:]["”’)]?$/.test(last.text);
}

/** Words divided at the end of a line are put together again. */
function joined(text: string, line: Line): string {
  const next = line.text.replaceAll('\t', '  ');
  if (/\p{L}[-\u00ad]$/u.test(text) && /^\p{Ll}/u.test(next)) return text.slice(0, -1) + next;
  const isCjk = /[\u3040-\u30ff\u4e00-\u9fff]$/.test(text) && /^[\u3040-\u30ff\u4e00-\u9fff]/.test(next);
  return text === '' || isCjk ? text + next : `${text} ${next}`;
}

function leadingOf(lines: readonly Line[], body: number): number {
  const distances = lines.flatMap((line, at) => {
    const distance = (lines[at - 1]?.y ?? line.y) - line.y;
    return line.size === body && distance > 0 && distance < body * 4 ? [Math.round(distance)] : [];
  });
  return distances.length === 0 ? body * 1.3 : Math.max(commonest(distances.map((distance) => [distance, 1])), body);
}

function commonest(weighted: [number, number][]): number {
  const weights = new Map<number, number>();
  for (const [value, weight] of weighted) weights.set(value, (weights.get(value) ?? 0) + weight);
  return [...weights].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0] ?? 0;
}

function quantile(values: number[], share: number): number {
  return values.sort((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? 0;
}
