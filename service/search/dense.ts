/** The dense half: vectors of the published passages in memory, kept in step with the index, and exact cosines. */
import type { Db } from './db.ts';
import { byScore, type Scored } from './lexical.ts';
import { createMatrix, type Matrix } from './matrix.ts';

export interface Dense {
  /** Best first; the score is the cosine of the passage's best piece. `mean` is the index's, over all pieces. */
  search(query: Float32Array, limit: number): { near: Scored[]; mean: number };
  /** Exact cosine of one passage; null when it has no vector. */
  cosine(query: Float32Array, passage: number): number | null;
  /** Follows what was published since the last call. */
  refresh(): void;
  bytes(): number;
}

export function createDense(db: Db, dimensions: number): Dense {
  const published = `SELECT p.id FROM passages p JOIN files f ON f.id = p.file_id
     WHERE f.born <= (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'generation')`;
  const fresh = db.prepare(
    `SELECT i.passage_id AS id, e.vector FROM pieces i JOIN embeddings e ON e.id = i.embedding_id
     WHERE i.passage_id > ? AND i.passage_id IN (${published}) ORDER BY i.passage_id, i.ord`,
  );
  const ids = db.prepare(published).pluck();
  const generation = db.prepare("SELECT value FROM meta WHERE key = 'generation'").pluck();
  const vectors = db
    .prepare('SELECT e.vector FROM pieces i JOIN embeddings e ON e.id = i.embedding_id WHERE i.passage_id = ?')
    .pluck();
  const matrix: Matrix = createMatrix(dimensions);
  let loaded = '';
  let last = 0;
  const cosine = (query: Float32Array, passage: number): number | null => {
    const own = (vectors.all(passage) as Buffer[]).map((blob) => dotProduct(query, floats(blob)));
    return own.length === 0 ? null : Math.max(...own);
  };
  return {
    cosine,
    search(query, limit) {
      const { best, mean } = matrix.nearest(query, limit + 20);
      const exact = best.map(({ id, score }) => ({ id, score: cosine(query, id) ?? score }));
      return { near: exact.sort(byScore).slice(0, limit), mean };
    },
    refresh() {
      const now = generation.get() as string;
      if (now === loaded) return;
      const visible = new Set(ids.all() as number[]);
      matrix.retain((passage) => visible.has(passage));
      for (const { id, vector } of fresh.iterate(last) as Iterable<{ id: number; vector: Buffer }>) {
        matrix.add(id, floats(vector));
        last = id;
      }
      loaded = now;
    },
    bytes: () => matrix.bytes(),
  };
}

export function floats(blob: Buffer): Float32Array {
  // A copy: the driver's buffers are not aligned to four bytes.
  return new Float32Array(new Uint8Array(blob).buffer);
}

function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
