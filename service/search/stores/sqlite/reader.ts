/** The reading side over SQLite: both halves in this process, fused here. */
import { type Db, openForReading, watchMeta } from '../../db.ts';
import { createDense, type Dense } from '../../dense.ts';
import { fuse } from '../../fusion.ts';
import { createLexical, type Lexical, postingsOf } from '../../lexical.ts';
import { loadPassages } from '../../passages.ts';
import { sourceUrl } from '../../place.ts';
import type { Found, IndexReader, Meta, ReaderOptions, SourceInfo, Wanted } from '../index-store.ts';

export function openSqliteReader(path: string, options: ReaderOptions): IndexReader {
  const db = openForReading(path);
  try {
    const meta = watchMeta(db);
    const parts: Parts = { db, options, meta, lexical: createLexical(db, postingsOf, meta), dense: undefined };
    return {
      name: path,
      remote: false,
      meta: async () => parts.meta(),
      prepare: async () => void denseOf(parts, parts.meta()),
      // One snapshot: an index published in between must not mix with the one searched.
      search: async (wanted) => db.transaction(() => search(parts, wanted))(),
      sources: async () => listSources(db, parts.meta()),
      close: () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** What meaning alone found counts by its words too; below so many places they are next to nothing. */
const WORDS = 1000;

interface Parts {
  db: Db;
  options: ReaderOptions;
  lexical: Lexical;
  meta(): Meta;
  /** Made when the index has vectors and they are wanted. */
  dense: Dense | undefined;
}

function search(parts: Parts, { query, vector, mode, count, pool, check }: Wanted): Found {
  const meta = parts.meta();
  check(meta);
  const dense = vector === undefined ? undefined : denseOf(parts, meta);
  const from = performance.now();
  const depth = dense === undefined ? pool : Math.max(WORDS, pool);
  const words = mode === 'dense' ? [] : parts.lexical.search(query, depth);
  const between = performance.now();
  const halves = { words, ...meaningOf(dense, vector, pool) };
  const ms = { lexical: between - from, dense: performance.now() - between };
  // More than are wanted, for some may be the same text.
  const best = fuse(halves, pool).slice(0, count * 2 + 10);
  const passages = loadPassages(parts.db, best, count, meta.base_url);
  return {
    meta,
    passages,
    cosine: halves.near[0]?.score ?? null,
    dense: dense !== undefined,
    idf: parts.lexical.idf,
    ms,
  };
}

function meaningOf(dense: Dense | undefined, vector: Float32Array | undefined, pool: number) {
  if (dense === undefined || vector === undefined) return { near: [], mean: 0 };
  return { ...dense.search(vector, pool), cosineOf: (id: number) => dense.cosine(vector, id) };
}

/** The dense half when index and settings have one, in step with the index. */
function denseOf(parts: Parts, meta: Meta): Dense | undefined {
  if (!meta.embedder || !parts.options.dense) return undefined;
  parts.dense ??= createDense(parts.db, Number(meta.dim));
  parts.dense.refresh();
  return parts.dense;
}

function listSources(db: Db, meta: Meta): SourceInfo[] {
  const rows = db
    .prepare(
      `SELECT f.source, f.title, count(p.id) AS passages, min(p.place) AS place FROM files f LEFT JOIN passages p ON p.file_id = f.id
      WHERE f.born <= ? GROUP BY f.id ORDER BY f.source`,
    )
    .all(Number(meta.generation)) as { source: string; title: string; passages: number; place: string | null }[];
  return rows.map(({ place, ...row }) => ({ ...row, ...sourceUrl(row.source, place, meta.base_url) }));
}
