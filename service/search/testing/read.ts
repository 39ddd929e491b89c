/** Reads a document as the indexer would, by the reader that its name asks for. */
import type { Document } from '../ingest/document.ts';
import { formatOf } from '../ingest/readers.ts';

export async function readAs(name: string, content: string | Buffer): Promise<Document> {
  const format = formatOf(name);
  if (format === undefined) throw new Error(`no reader takes ${name}`);
  return (await format.load())(typeof content === 'string' ? Buffer.from(content) : content, name);
}

/** Each heading path with the blocks below it. */
export function outlineOf(document: Document): [string, string[]][] {
  return document.sections.map(({ heading, blocks }) => [
    heading.join(' > '),
    blocks.map(({ kind, start, end }) => `${kind}: ${document.text.slice(start, end)}`),
  ]);
}

/** A paragraph too long to be joined with its neighbours. */
export function longText(word: string): string {
  return `${word} `.repeat(120).trim();
}
