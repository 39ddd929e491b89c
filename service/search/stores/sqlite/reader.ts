/** The reading side over SQLite: both halves in this process, fused here. */
import { type Db, getMeta, openForReading } from '../../db.ts';
import { createDense, type Dense } from '../../dense.ts';
import { fuse } from '../../fusion.ts';
import { byScore, createLexical, type Lexical, type Scored } from '../../lexical.ts';
import { loadPassages } from '../../passages.ts';
import { sourceUrl } from '../../place.ts';
import type { Found, IndexReader, Meta, ReaderOptions, SourceInfo, Wanted } from '../index-store.ts';

export function openSqliteReader(path: string, options: ReaderOptions): IndexReader {
  const db = openForReading(path);
  try {
    const parts: Parts = { db, options, lexical: createLexical(db), dense: undefined };
    return {
      name: path,
      remote: false,
      meta: async () => getMeta(db),
      prepare: async () => void denseOf(parts, getMeta(db)),
      // One snapshot: an index published in between must not mix with the one searched.
      search: async (wanted) => db.transaction(() => search(parts, wanted))(),
      sources: async () => listSources(db),
      close: () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

interface Parts {
  db: Db;
  options: ReaderOptions;
  lexical: Lexical;
  /** Made when the index has vectors and they are wanted. */
  dense: Dense | undefined;
}

function search(parts: Parts, { query, vector, mode, count, pool, check }: Wanted): Found {
  const meta = getMeta(parts.db);
  check(meta);
  const dense = vector === undefined ? undefined : denseOf(parts, meta);
  const from = performance.now();
  const near = dense === undefined || vector === undefined ? [] : dense.search(vector, pool);
  const between = performance.now();
  // Both halves score what either found: a candidate that just missed the other's list is not taken for its worst.
  const words =
    mode === 'dense'
      ? []
      : parts.lexical.search(
          query,
          pool,
          near.map(({ id }) => id),
        );
  const ended = performance.now();
  const both = words.length === 0 || near.length === 0 ? near : withCosines(near, words, dense, vector);
  const ms = { lexical: ended - between, dense: between - from + performance.now() - ended };
  const fused = fuse(words, both, near.length === 0 ? 0 : mode === 'dense' ? 1 : undefined);
  // More than are wanted, for some may be the same text.
  const passages = loadPassages(parts.db, fused.slice(0, count * 2 + 10), count, meta.base_url);
  return {
    meta,
    passages,
    cosine: near[0]?.score ?? null,
    dense: dense !== undefined,
    idf: parts.lexical.idf,
    ms,
  };
}

/** The nearest, and what the words found with its cosine; a passage without a vector stays out. Best first. */
function withCosines(
  near: readonly Scored[],
  words: readonly Scored[],
  dense: Dense | undefined,
  vector: Float32Array | undefined,
): readonly Scored[] {
  if (dense === undefined || vector === undefined) return near;
  const known = new Set(near.map(({ id }) => id));
  const more = words.flatMap(({ id }) => {
    const score = known.has(id) ? null : dense.cosine(vector, id);
    return score === null ? [] : [{ id, score }];
  });
  return [...near, ...more].sort(byScore);
}

/** The dense half when index and settings have one, in step with the index. */
function denseOf(parts: Parts, meta: Meta): Dense | undefined {
  if (!meta.embedder || !parts.options.dense) return undefined;
  parts.dense ??= createDense(parts.db, Number(meta.dim));
  parts.dense.refresh();
  return parts.dense;
}

function listSources(db: Db): SourceInfo[] {
  const rows = db
    .prepare(
      `SELECT f.source, f.title, count(p.id) AS passages, min(p.place) AS place FROM files f LEFT JOIN passages p ON p.file_id = f.id
      WHERE f.born <= ? GROUP BY f.id ORDER BY f.source`,
    )
    .all(Number(getMeta(db).generation)) as { source: string; title: string; passages: number; place: string | null }[];
  const baseUrl = getMeta(db).base_url;
  return rows.map(({ place, ...row }) => ({ ...row, ...sourceUrl(row.source, place, baseUrl) }));
}
