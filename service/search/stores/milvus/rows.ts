/** Passages as rows of the engine, and back. Pure. */
import { createHash } from 'node:crypto';
import type { Passage } from '../../../contract.ts';
import type { Chunk } from '../../chunk.ts';
import { keptPlace, placeFields } from '../../place.ts';
import type { Row } from './facts.ts';
import { spell, wordsOf } from './tokens.ts';

/** One passage of a file, before it has vectors. */
export interface Draft {
  file: string;
  ord: number;
  source: string;
  title: string;
  heading: string[];
  start: number;
  end: number;
  text: string;
  place: string | null;
}

/** A file's name in the engine. */
export const keyOf = (source: string) => createHash('sha256').update(source).digest('hex').slice(0, 32);

/** Bytes that the engine holds in one field. */
const MAX_FIELD = 65_535;
/** Longer titles and headings are no titles and headings; with a passage of the largest size they fit one field. */
const MAX_NAME = 2_000;

export function draftsOf({
  source,
  title,
  chunks,
}: {
  source: string;
  title: string;
  chunks: readonly Chunk[];
}): Draft[] {
  return chunks.map(({ heading, start, end, text, place }, ord) => ({
    file: keyOf(source),
    ord,
    source,
    title: title.slice(0, MAX_NAME),
    heading: heading.slice(0, 10).map((part) => part.slice(0, MAX_NAME / 4)),
    start,
    end,
    text,
    place: keptPlace(place),
  }));
}

/** One row for each piece: a passage longer than the embedder's window has several, found by the same words. */
export function rowOf(draft: Draft, piece: { ord: number; hash: string; vector: readonly number[] | undefined }) {
  const { file, ord, source, title, heading, start, end, text, place } = draft;
  const passage = JSON.stringify({ source, title, heading, start, end, text, place });
  if (Buffer.byteLength(passage) > MAX_FIELD) throw new Error(`a passage of ${source} is larger than the engine holds`);
  return {
    id: `${file}:${String(ord).padStart(7, '0')}:${String(piece.ord).padStart(4, '0')}`,
    file,
    piece: piece.ord,
    hash: piece.hash,
    passage,
    tokens: spell(wordsOf(draft)),
    ...(piece.vector === undefined ? {} : { dense: piece.vector }),
  };
}

export function draftOf(row: Row): Draft {
  const kept = JSON.parse(String(row.passage)) as Omit<Draft, 'file' | 'ord'>;
  return { ...kept, file: String(row.file), ord: Number(String(row.id).split(':')[1]) };
}

export interface Scores {
  cosine: number | null;
  bm25: number | null;
  fusion: number;
}

export function passageOf(row: Row, scores: Scores, baseUrl: string | undefined): Passage {
  const { source, title, heading, start, end, text, place } = JSON.parse(String(row.passage)) as Omit<
    Draft,
    'file' | 'ord'
  >;
  return { source, title, heading, start, end, text, ...placeFields(source, place, baseUrl), ...scores };
}
