/** Gives every passage its vectors; each group is committed, so that a killed run has lost one group at most. */
import { CodedError } from '../../../contract.ts';
import type { Db } from '../../db.ts';
import type { Embedder } from '../../embed/embedder.ts';
import { piecesOf } from '../../pieces.ts';
import type { Watching } from '../index-store.ts';

/** Passages embedded between two commits: about two seconds of work for the local embedder. */
const GROUP = 64;

interface Row {
  id: number;
  title: string;
  heading: string;
  text: string;
}

interface Wanted {
  passage: number;
  ord: number;
  hash: string;
  text: string;
}

/** Embeds the passages of the given sources that have no vectors of this embedder yet. */
export async function embedPassages(db: Db, embedder: Embedder, options: Watching): Promise<number> {
  // What another embedder made for the same passage is not of use.
  // Nor is it worth the time to embed the old state of a file that is about to be replaced.
  const missing = `FROM passages p JOIN files f ON f.id = p.file_id
    WHERE f.born = (SELECT max(born) FROM files WHERE source = f.source) AND NOT EXISTS (
    SELECT 1 FROM pieces i JOIN embeddings e ON e.id = i.embedding_id WHERE i.passage_id = p.id AND e.embedder = @embedder)`;
  const total = db.prepare(`SELECT count(*) ${missing}`).pluck().get({ embedder: embedder.fingerprint }) as number;
  const next = db.prepare(
    `SELECT p.id, f.title, p.heading, p.text ${missing} AND p.id > @last ORDER BY p.id LIMIT ${GROUP}`,
  );
  let embedded = 0;
  let done = 0;
  for (let last = 0; ; ) {
    if (options.signal?.aborted)
      throw new CodedError(
        'cancelled',
        'Stopped. What was read and embedded is kept; the same command goes on from here.',
      );
    const rows = next.all({ embedder: embedder.fingerprint, last }) as Row[];
    if (rows.length === 0) return embedded;
    embedded += await embedGroup(
      db,
      embedder,
      rows.flatMap((row) => wantedOf(embedder, row)),
    );
    last = rows.at(-1)?.id ?? last;
    done += rows.length;
    options.onProgress?.(done, total, 'passages embedded');
  }
}

function wantedOf(embedder: Embedder, { id, title, heading, text }: Row): Wanted[] {
  const pieces = piecesOf(embedder, { title, heading: JSON.parse(heading) as string[], text });
  return pieces.map((piece, ord) => ({ passage: id, ord, ...piece }));
}

async function embedGroup(db: Db, embedder: Embedder, wanted: Wanted[]): Promise<number> {
  const known = db.prepare('SELECT id FROM embeddings WHERE embedder = ? AND hash = ?').pluck();
  const fresh = [...new Map(wanted.map((one) => [one.hash, one])).values()].filter(
    (one) => known.get(embedder.fingerprint, one.hash) === undefined,
  );
  const vectors = fresh.length === 0 ? [] : await embedder.embedPassages(fresh.map(({ text }) => text));
  const insert = db.prepare('INSERT OR IGNORE INTO embeddings (embedder, hash, vector) VALUES (?, ?, ?)');
  const link = db.prepare('INSERT INTO pieces (passage_id, ord, embedding_id) VALUES (?, ?, ?)');
  const unlink = db.prepare('DELETE FROM pieces WHERE passage_id = ?');
  db.transaction(() => {
    fresh.forEach(({ hash }, at) => {
      const vector = vectors[at] ?? new Float32Array();
      insert.run(embedder.fingerprint, hash, Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength));
    });
    for (const { passage, ord } of wanted) if (ord === 0) unlink.run(passage);
    for (const { passage, ord, hash } of wanted) link.run(passage, ord, known.get(embedder.fingerprint, hash));
  }).immediate();
  return fresh.length;
}
