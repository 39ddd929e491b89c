/** Both halves of a search for every question of a set, with all scores, so that any way of joining them can be tried. */
import { openForReading } from '../../service/search/db.ts';
import { floats } from '../../service/search/dense.ts';
import type { Embedder } from '../../service/search/embed/embedder.ts';
import { byScore, type Scored } from '../../service/search/lexical.ts';
import { type Bm25, createBm25 } from './bm25.ts';
import type { StudySet } from './sets.ts';

export interface Halves {
  /** Every passage that has a word of the question, best first. */
  words: Scored[];
  /** Every passage that has a vector, best first. */
  near: Scored[];
}

export type Vectors = Map<number, Float32Array[]>;

export async function halvesOf(
  set: StudySet,
  model: Embedder | null,
  bm25: Bm25 = createBm25(set.passages),
  vectors: Vectors = model === null ? new Map() : vectorsOf(set.db),
): Promise<Halves[]> {
  const found: Halves[] = [];
  for (const { text } of set.questions) {
    const near = model === null ? [] : nearest(vectors, await model.embedQuery(text));
    found.push({ words: bm25.search(text), near });
  }
  return found;
}

export function vectorsOf(db: string): Vectors {
  const index = openForReading(db);
  const rows = index
    .prepare('SELECT i.passage_id AS id, e.vector FROM pieces i JOIN embeddings e ON e.id = i.embedding_id')
    .all() as { id: number; vector: Buffer }[];
  index.close();
  const vectors: Vectors = new Map();
  for (const { id, vector } of rows) vectors.set(id, [...(vectors.get(id) ?? []), floats(vector)]);
  return vectors;
}

/** Of several pieces of a passage the best counts. */
export function nearest(vectors: Vectors, query: Float32Array): Scored[] {
  return [...vectors].map(([id, own]) => ({ id, score: Math.max(...own.map((one) => dot(query, one))) })).sort(byScore);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
