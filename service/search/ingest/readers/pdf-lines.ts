/** The pieces of text on a page, put together to lines. */

/** What the library says of each piece; `transform` holds its size and its place. */
export interface TextItem {
  str: string;
  width: number;
  height: number;
  transform: number[];
  hasEOL: boolean;
}

export interface Line {
  /** With the gaps of a table as tabs. */
  text: string;
  /** Height of its letters, in points, to the half. */
  size: number;
  x: number;
  y: number;
  right: number;
  /** In the margin above or below the text, where pages repeat themselves. */
  inMargin: boolean;
  /** The page that begins with this line. */
  page?: number;
}

/** Tenths of the page, above and below, that count as margin. */
const MARGIN = 0.1;

/** `bottom` and `top` are where the page ends, in points. */
export function linesOf(items: readonly TextItem[], bottom: number, top: number): Line[] {
  const margin = (top - bottom) * MARGIN;
  const isMargin = (y: number) => y > top - margin || y < bottom + margin;
  const lines: Line[] = [];
  let open: Line | undefined;
  const close = () => {
    if (open !== undefined && open.text.trim() !== '') lines.push({ ...open, text: open.text.trim() });
    open = undefined;
  };
  for (const item of items) {
    const { size, x, y } = placeOf(item);
    if (item.str.trim() !== '') {
      if (open !== undefined && Math.abs(y - open.y) > Math.max(open.size, size) * 0.7) close();
      if (open === undefined) open = { text: item.str, size, x, y, right: x + item.width, inMargin: isMargin(y) };
      else {
        open.text += gap(open, x, size) + item.str;
        open.right = Math.max(open.right, x + item.width);
        // Of a line with a footnote's number the letters count.
        open.size = Math.max(open.size, size);
      }
    } else if (open !== undefined && item.str !== '' && !open.text.endsWith(' ') && item.width < size) open.text += ' ';
    if (item.hasEOL) close();
  }
  close();
  return lines;
}

/** A line of a table of contents: it repeats a heading, and would answer for it. */
export function isContents({ text }: Line): boolean {
  return /(?:\.\s?){4,}\s*[\divxlc]{1,6}$/i.test(text.slice(-60));
}

/** Leaves out what most pages repeat at their top or bottom, and numbers of pages. */
export function withoutRunning(pages: Line[][]): Line[][] {
  const counts = new Map<string, number>();
  for (const lines of pages) {
    for (const key of new Set(edges(lines).map(keyOf))) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const filled = pages.filter((lines) => lines.length > 0).length;
  const isRunning = (line: Line) => {
    const often = counts.get(keyOf(line)) ?? 0;
    return (
      (often >= 3 && often > filled * 0.5) ||
      (filled > 1 && /^(?:page\s*)?[-–]?\s*\d{1,4}\s*[-–]?(?:\s*(?:\/|of)\s*\d{1,4})?$/i.test(line.text))
    );
  };
  return pages.map((lines) => {
    const out = new Set(edges(lines).filter(isRunning));
    return lines.filter((line) => !out.has(line));
  });
}

function edges(lines: readonly Line[]): Line[] {
  return lines.filter((line) => line.inMargin);
}

function keyOf({ text }: Line): string {
  return text.replace(/\d+/g, '0').slice(0, 200);
}

function placeOf({ transform, height }: TextItem): { size: number; x: number; y: number } {
  const [, , c = 0, d = 0, x = 0, y = 0] = transform;
  return { size: Math.round(2 * (Math.hypot(c, d) || height)) / 2, x, y };
}

/** A wide gap is the border of two cells, a small one a space, the smallest none at all. */
function gap(open: Line, x: number, size: number): string {
  const width = x - open.right;
  if (width > 1.5 * size) return '\t';
  return width > 0.15 * size && !open.text.endsWith(' ') ? ' ' : '';
}
