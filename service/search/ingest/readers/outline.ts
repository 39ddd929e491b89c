/** What the readers of line-based formats share: sections as ranges of the file's own text, under a path of headings. */
import type { Block, Document, Section } from '../document.ts';
import { type Line, splitLines } from './lines.ts';

export interface Outline {
  lines: Line[];
  /** Opens a section under the headings above it. */
  enter(level: number, text: string): void;
  /** Lines from `first` to `last`, both included, as one block. */
  push(kind: Block['kind'], first: number, last: number, head?: string): void;
  document(title?: string): Document;
}

export function createOutline(text: string): Outline {
  const lines = splitLines(text);
  const path: { level: number; text: string }[] = [];
  const sections: Section[] = [{ heading: [], blocks: [] }];
  let first = '';
  return {
    lines,
    enter(level, raw) {
      const heading = raw.replace(/\s+/g, ' ').trim().slice(0, 200);
      while ((path.at(-1)?.level ?? 0) >= level) path.pop();
      if (heading !== '') path.push({ level, text: heading });
      first ||= heading;
      sections.push({ heading: path.map((part) => part.text), blocks: [] });
    },
    push(kind, from, to, head) {
      const [start, end] = [lines[from]?.start, lines[Math.min(to, lines.length - 1)]?.end];
      if (start === undefined || end === undefined || text.slice(start, end).trim() === '') return;
      sections.at(-1)?.blocks.push({ kind, start, end, ...(head === undefined ? {} : { head }) });
    },
    document: (title = '') => ({
      title: title || first,
      text,
      sections: sections.filter((section) => section.blocks.length > 0),
      lined: true,
    }),
  };
}

export function indentOf(line: string): number {
  return /^[ \t]*/.exec(line)?.[0].length ?? 0;
}

export function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === '';
}
