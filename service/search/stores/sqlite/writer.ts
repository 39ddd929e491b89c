/** The writing side over SQLite: rows of the next generation lie beside the published ones until one transaction moves on. */
import { type Db, getMeta, openForWriting, setMeta } from '../../db.ts';
import { lockForWriting } from '../../lock.ts';
import { keptPlace } from '../../place.ts';
import { withoutMarkup } from '../../text/markup.ts';
import { tokenize } from '../../text/tokens.ts';
import type { IndexWriter, Meta, SourceFile, WriterOptions } from '../index-store.ts';
import { embedPassages } from './embed.ts';

export function openSqliteWriter(path: string, options: WriterOptions): IndexWriter {
  const unlock = lockForWriting(path);
  try {
    const db = openForWriting(path);
    const close = () => {
      db.close();
      unlock();
    };
    try {
      options.check(getMeta(db));
      return { name: path, ...createWriter(db, options, close) };
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    unlock();
    throw error;
  }
}

export function writeSqliteMeta(path: string, values: Meta): void {
  const unlock = lockForWriting(path);
  try {
    const db = openForWriting(path);
    setMeta(db, values);
    db.close();
  } finally {
    unlock();
  }
}

function createWriter(
  db: Db,
  { embedder, staging, rebuild }: WriterOptions,
  close: () => void,
): Omit<IndexWriter, 'name'> {
  const generation = Number(getMeta(db).generation);
  if (getMeta(db).staging !== staging) forgetStaged(db, generation, staging);
  const next = generation + 1;
  const staged = hashesOf(db, 'born > ?', generation);
  const published = hashesOf(db, 'born <= ?', generation);
  const stage = db.transaction((file: SourceFile) => {
    db.prepare('DELETE FROM files WHERE source = ? AND born > ?').run(file.source, generation);
    insertFile(db, file, next);
  });
  const unstage = db.transaction((sources: string[]) => {
    for (const source of sources) removeFile(db, source, next, next);
  });
  return {
    published,
    staged,
    meta: async () => getMeta(db),
    async stage(file) {
      stage(file);
      staged.set(file.source, file.hash);
    },
    async unstage(keep) {
      const unwanted = [...staged.keys()].filter((name) => !keep.has(name));
      unstage(unwanted);
      for (const source of unwanted) staged.delete(source);
    },
    embed: async (watching) => (embedder === null ? 0 : embedPassages(db, embedder, watching)),
    publish: async (keep, facts) => {
      const gone = [...published.keys()].filter((source) => !keep.has(source));
      const outdated = [...published.keys()].filter((source) => keep.has(source) && staged.has(source));
      return db
        .transaction(() => {
          publish(db, generation, [...gone, ...outdated]);
          if (rebuild) db.prepare("DELETE FROM meta WHERE key LIKE 'gate_%'").run();
          const counts = { passages: String(count(db, 'passages')), files: String(count(db, 'files')) };
          setMeta(db, { ...facts, ...counts, generation: String(next) });
          return gone.length;
        })
        .immediate();
    },
    close: async () => close(),
  };
}

function publish(db: Db, generation: number, replaced: string[]): void {
  for (const source of replaced) removeFile(db, source, 0, generation);
  addWords(db, generation);
  db.prepare('DELETE FROM embeddings WHERE NOT EXISTS (SELECT 1 FROM pieces WHERE embedding_id = embeddings.id)').run();
}

function hashesOf(db: Db, where: string, generation: number): Map<string, string> {
  const rows = db.prepare(`SELECT source, hash FROM files WHERE ${where}`).all(generation) as {
    source: string;
    hash: string;
  }[];
  return new Map(rows.map(({ source, hash }) => [source, hash]));
}

const forgetStaged = (db: Db, generation: number, staging: string) =>
  db.transaction(() => {
    db.prepare('DELETE FROM files WHERE born > ?').run(generation);
    setMeta(db, { staging });
  })();

function insertFile(db: Db, { source, hash, title, chunks }: SourceFile, born: number): void {
  const { lastInsertRowid } = db
    .prepare('INSERT INTO files (source, hash, title, born) VALUES (?, ?, ?, ?)')
    .run(source, hash, title, born);
  const insert = db.prepare(
    'INSERT INTO passages (file_id, ord, heading, start, "end", text, place) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  chunks.forEach((chunk, ord) => {
    const { heading, start, end, text, place } = chunk;
    insert.run(lastInsertRowid, ord, JSON.stringify(heading), start, end, text, keptPlace(place));
  });
}

function removeFile(db: Db, source: string, from: number, to: number): void {
  const own = 'file_id IN (SELECT id FROM files WHERE source = ? AND born BETWEEN ? AND ?)';
  db.prepare(`DELETE FROM words WHERE rowid IN (SELECT id FROM passages WHERE ${own})`).run(source, from, to);
  db.prepare(`DELETE FROM passages WHERE ${own}`).run(source, from, to);
  db.prepare('DELETE FROM files WHERE source = ? AND born BETWEEN ? AND ?').run(source, from, to);
}

function addWords(db: Db, generation: number): void {
  const select = db.prepare(
    'SELECT p.id, f.title, p.heading, p.text FROM passages p JOIN files f ON f.id = p.file_id WHERE f.born > ? AND p.id > ? ORDER BY p.id LIMIT 1000',
  );
  const insert = db.prepare('INSERT INTO words (rowid, title, heading, body) VALUES (?, ?, ?, ?)');
  // In pages: better-sqlite3 cannot write while it iterates, and a large index must not lie in memory.
  for (let last = 0; ; ) {
    const rows = select.all(generation, last) as { id: number; title: string; heading: string; text: string }[];
    for (const row of rows) {
      const heading = (JSON.parse(row.heading) as string[]).join(' ');
      insert.run(
        row.id,
        tokenize(row.title).join(' '),
        tokenize(heading).join(' '),
        tokenize(withoutMarkup(row.text)).join(' '),
      );
    }
    if (rows.length === 0) return;
    last = rows[rows.length - 1]?.id ?? last;
  }
}

function count(db: Db, table: 'files' | 'passages'): number {
  return (db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;
}
