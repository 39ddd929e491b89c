/** What of a passage is embedded: its text with title and headings, in as many pieces as the embedder's window makes of it. */
import { createHash } from 'node:crypto';
import type { Embedder } from './embed/embedder.ts';
import { withoutMarkup } from './text/markup.ts';

export interface Piece {
  /** Of the embedded text: what has the same hash has the same vector. */
  hash: string;
  text: string;
}

export function piecesOf(embedder: Embedder, passage: { title: string; heading: string[]; text: string }): Piece[] {
  const lead = [passage.title, ...passage.heading]
    .filter((part, at, all) => part !== '' && all.indexOf(part) === at)
    .join(' > ');
  const pieces = embedder.pieces(`${lead}\n${withoutMarkup(passage.text)}`);
  // Later pieces carry the lead too where it is short, or they would not say what they are about.
  const texts = pieces.map((piece, ord) => (ord === 0 || lead.length > 120 ? piece : `${lead}\n${piece}`));
  return texts.map((text) => ({ text, hash: createHash('sha256').update(text).digest('hex') }));
}
