/** From the bytes of a file to its passages: in this process, or in one of its own (sandbox.ts). */
import { type Chunk, chunk } from '../chunk.ts';
import type { Place } from '../place.ts';
import { type Document, type Mark, Unreadable } from './document.ts';
import type { Format } from './readers.ts';

export interface ReadFile {
  title: string;
  chunks: Chunk[];
  /** What of the file could not be read. */
  warnings: string[];
}

/** Throws Unreadable, whatever the reader throws. */
export async function passagesOf(format: Format, bytes: Uint8Array, source: string): Promise<ReadFile> {
  let document: Document;
  try {
    document = await (await format.load())(bytes, source);
  } catch (cause) {
    if (cause instanceof Unreadable) throw cause;
    const why = cause instanceof Error ? cause.message.replace(/\s+/g, ' ').slice(0, 120) : String(cause);
    throw new Unreadable(`is broken: it cannot be read as ${format.name} (${why})`);
  }
  return { ...placed(document, source), warnings: document.warnings ?? [] };
}

/** A document cut into passages that know where they stand. */
export function placed(document: Document, source: string): { title: string; chunks: Chunk[] } {
  const title = document.title || source.replace(/^.*\//, '').replace(/\.[^.]+$/, '');
  const lineAt = document.lined === true ? lineCounter(document.text) : undefined;
  const chunks = chunk(document).map((piece) => {
    const place: Place = {
      ...whole('line', lineAt?.(piece.start)),
      ...whole('page', lastBefore(document.pages, piece.start)),
      ...whole('anchor', lastBefore(document.anchors, piece.start)),
    };
    return Object.keys(place).length === 0 ? piece : { ...piece, place };
  });
  return { title, chunks };
}

function whole<K extends keyof Place>(key: K, value: Place[K] | undefined): Pick<Place, K> | Record<never, never> {
  return value === undefined ? {} : { [key]: value };
}

/** Lines from 1, for offsets that only grow. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  let at = 0;
  return (offset) => {
    // As splitLines counts: a carriage return alone ends a line too.
    for (; at < offset; at++) {
      const char = text[at];
      if (char === '\n' || (char === '\r' && text[at + 1] !== '\n')) line++;
    }
    return line;
  };
}

function lastBefore<T>(marks: Mark<T>[] | undefined, offset: number): T | undefined {
  let [low, high] = [0, marks?.length ?? 0];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks?.[middle]?.at ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return marks?.[low - 1]?.value;
}
