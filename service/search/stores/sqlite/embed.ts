/** Gives every passage its vectors; each group is committed, so that a killed run has lost two groups at most. */
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

interface Group {
  passages: number;
  wanted: Wanted[];
  /** What the embedder was given. */
  fresh: Wanted[];
  vectors: Promise<Float32Array[]>;
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
  let last = 0;
  // While one group is with the embedder, the next is read and cut and follows it; then the first is written.
  for (let before: Group | undefined; ; ) {
    const stopped = options.signal?.aborted;
    const rows = stopped ? [] : (next.all({ embedder: embedder.fingerprint, last }) as Row[]);
    const group = rows.length === 0 ? undefined : begin(db, embedder, rows, before);
    if (before !== undefined) {
      embedded += write(db, embedder, before, await before.vectors);
      done += before.passages;
      options.onProgress?.(done, total, 'passages embedded');
    }
    if (stopped)
      throw new CodedError(
        'cancelled',
        'Stopped. What was read and embedded is kept; the same command goes on from here.',
      );
    if (group === undefined) return embedded;
    before = group;
    last = rows.at(-1)?.id ?? last;
  }
}

/** Gives the embedder what of these passages has no vector, neither in the index nor in the group before. */
function begin(db: Db, embedder: Embedder, rows: Row[], before: Group | undefined): Group {
  const wanted = rows.flatMap((row) => wantedOf(embedder, row));
  const known = db.prepare('SELECT id FROM embeddings WHERE embedder = ? AND hash = ?').pluck();
  const pending = new Set(before?.fresh.map(({ hash }) => hash));
  const fresh = [...new Map(wanted.map((one) => [one.hash, one])).values()].filter(
    ({ hash }) => !pending.has(hash) && known.get(embedder.fingerprint, hash) === undefined,
  );
  const vectors = fresh.length === 0 ? Promise.resolve([]) : embedder.embedPassages(fresh.map(({ text }) => text));
  // Where the group before fails, nobody waits for this one.
  vectors.catch(() => undefined);
  return { passages: rows.length, wanted, fresh, vectors };
}

function wantedOf(embedder: Embedder, { id, title, heading, text }: Row): Wanted[] {
  const pieces = piecesOf(embedder, { title, heading: JSON.parse(heading) as string[], text });
  return pieces.map((piece, ord) => ({ passage: id, ord, ...piece }));
}

function write(db: Db, embedder: Embedder, { wanted, fresh }: Group, vectors: Float32Array[]): number {
  const known = db.prepare('SELECT id FROM embeddings WHERE embedder = ? AND hash = ?').pluck();
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
