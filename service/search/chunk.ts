/**
 * Cuts a document into passages: along headings, then along blocks, never longer than a bound. Pure.
 * Raise CHUNKER_VERSION when passages come out differently: an index made with another version is refused.
 */
import type { Block, Document, Section } from './ingest/document.ts';
import type { Place } from './place.ts';

export const CHUNKER_VERSION = 1;

/** Sizes in characters; how they were chosen stands in docs/retrieval.md. */
export const SIZES = {
  /** A passage is filled up to this. */
  target: 1000,
  /** Code and tables up to this stay whole. */
  whole: 1600,
  /** A section shorter than this joins what follows it under the same parent. */
  small: 200,
};
export type Sizes = typeof SIZES;

export interface Chunk {
  heading: string[];
  start: number;
  end: number;
  /** The document's text from start to end; a later piece of a table or code block has its head repeated in front. */
  text: string;
  /** Where a person finds it; said by whoever knows the format. */
  place?: Place | undefined;
}

/** `sizes` are for studies: an index is always made with SIZES. */
export function chunk(document: Document, sizes: Sizes = SIZES): Chunk[] {
  return joinSmall(document.sections.map(withoutContents(document)), sizes)
    .flatMap((section) => packed(document.text, section, sizes))
    .filter((piece) => /[\p{L}\p{N}]/u.test(piece.text));
}

interface Piece {
  start: number;
  end: number;
  head?: string;
}

/** A table of contents repeats every heading of the file and would answer for all of them. */
function withoutContents({ text }: Document): (section: Section) => Section {
  const isLink = (block: Block) =>
    block.kind === 'item' &&
    /^\s*(?:[-*+]|\d+[.)])\s+\[[^\]]*\]\(#[^)]*\)\s*$/.test(text.slice(block.start, block.end));
  return (section) => {
    const links = section.blocks.filter(isLink).length;
    return links < 3 ? section : { ...section, blocks: section.blocks.filter((block) => !isLink(block)) };
  };
}

/** Gives a section that is little more than its heading to the next one, when that is its child or sibling. */
function joinSmall(sections: Section[], { small, target }: Sizes): Section[] {
  const joined: Section[] = [];
  for (const section of sections) {
    const last = joined.at(-1);
    if (
      last !== undefined &&
      sizeOf(last) < small &&
      sizeOf(last) + sizeOf(section) <= target &&
      isNear(last, section)
    ) {
      const heading =
        startsWith(section.heading, last.heading) && onlyHeading(last)
          ? section.heading
          : common(last.heading, section.heading);
      joined[joined.length - 1] = { heading, blocks: [...last.blocks, ...section.blocks] };
    } else joined.push(section);
  }
  return joined;
}

function isNear(a: Section, b: Section): boolean {
  const parent = a.heading.slice(0, -1);
  return startsWith(b.heading, parent) && b.heading.length >= a.heading.length && a.heading.length > 0;
}

function onlyHeading(section: Section): boolean {
  return section.blocks.length <= 1;
}

function startsWith(path: string[], prefix: string[]): boolean {
  return prefix.every((part, at) => path[at] === part);
}

function common(a: string[], b: string[]): string[] {
  const length = a.findIndex((part, at) => b[at] !== part);
  return length === -1 ? a : a.slice(0, length);
}

function sizeOf(section: Section): number {
  const [first, last] = [section.blocks[0], section.blocks.at(-1)];
  return first === undefined || last === undefined ? 0 : last.end - first.start;
}

function packed(text: string, section: Section, sizes: Sizes): Chunk[] {
  const chunks: Chunk[] = [];
  let open: Piece | undefined;
  const close = () => {
    if (open === undefined) return;
    const body = text.slice(open.start, open.end);
    chunks.push({
      heading: section.heading,
      start: open.start,
      end: open.end,
      text: open.head === undefined ? body : `${open.head}\n${body}`,
    });
    open = undefined;
  };
  for (const piece of section.blocks.flatMap((block) => pieces(text, block, sizes))) {
    if (open !== undefined && (piece.head !== undefined || piece.end - open.start > sizes.target)) {
      // A heading alone is no passage: it goes with what follows it, even a little over the size.
      if (piece.head !== undefined || open.end - open.start > 120 || piece.end - open.start > sizes.whole) close();
    }
    open = open === undefined ? { ...piece } : { ...open, end: piece.end };
  }
  close();
  return chunks;
}

/** The block itself, or what it must be split into: rows and lines where it has them, else sentences, words, characters. */
function pieces(text: string, block: Block, { whole, target }: Sizes): Piece[] {
  const keep = block.kind === 'table' || block.kind === 'code' ? whole : target;
  if (block.end - block.start <= keep) return [{ start: block.start, end: block.end }];
  const found: Piece[] = [];
  let start = block.start;
  const room = Math.max(target - Math.min(block.head?.length ?? 0, 400), 200);
  while (block.end - start > room) {
    const cut = cutAt(text, start, start + room, block);
    found.push({ start, end: cut });
    start = cut + (/^\s*/.exec(text.slice(cut, cut + 100))?.[0].length ?? 0);
  }
  if (start < block.end) found.push({ start, end: block.end });
  const head = block.head?.slice(0, 400);
  return found.map((piece, at) => (at === 0 || head === undefined ? piece : { ...piece, head }));
}

/** The last good place to cut in the second half of a window. */
function cutAt(text: string, start: number, limit: number, block: Block): number {
  const half = start + Math.floor((limit - start) / 2);
  // Of the window alone: a mark that is nowhere in it would be looked for back to the start of the text.
  const window = text.slice(half + 1, limit);
  const marks =
    block.kind === 'table' || block.kind === 'code'
      ? ['\n']
      : ['\n\n', '. ', '。', '.\n', '? ', '! ', '\n', '; ', ', ', ' '];
  for (const mark of marks) {
    const at = window.lastIndexOf(mark);
    if (at >= 0) return half + 1 + at + (mark.trim() === '' ? 0 : mark.trimEnd().length);
  }
  // Never between the two halves of one character.
  return /[\uD800-\uDBFF]/.test(text[limit - 1] ?? '') ? limit - 1 : limit;
}
