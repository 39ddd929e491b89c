/** The writing side of an index: stage files, then publish them all at once. */
import type { Chunk } from './chunk.ts';
import { type Db, getMeta, setMeta } from './db.ts';
import { withoutMarkup } from './text/markup.ts';
import { tokenize } from './text/tokens.ts';

export interface SourceFile {
  source: string;
  hash: string;
  title: string;
  chunks: Chunk[];
}

export interface Writer {
  /** Hash of each source that readers see. */
  readonly published: ReadonlyMap<string, string>;
  /** Hash of each source that an interrupted run has staged already. */
  readonly staged: ReadonlyMap<string, string>;
  stage(file: SourceFile): void;
  /** Forgets staged files that are not wanted any more. */
  unstage(keep: ReadonlySet<string>): void;
  /** Makes the staged files visible and drops every source that is not in `keep`; returns how many were dropped. */
  publish(keep: ReadonlySet<string>, facts: Record<string, string>): number;
}

export interface WriterOptions {
  /** Names what makes passages of a text: what another version staged is of no use. */
  staging: string;
  /** Everything is made anew: a gate that was calibrated for what was there before goes too. */
  rebuild: boolean;
}

export function createWriter(db: Db, { staging, rebuild }: WriterOptions): Writer {
  const meta = getMeta(db);
  const generation = Number(meta.generation);
  if (meta.staging !== staging) forgetStaged(db, generation, staging);
  const next = generation + 1;
  const hashes = (where: string) => {
    const rows = db.prepare(`SELECT source, hash FROM files WHERE ${where}`).all(generation) as {
      source: string;
      hash: string;
    }[];
    return new Map(rows.map(({ source, hash }) => [source, hash]));
  };
  const staged = hashes('born > ?');
  const published = hashes('born <= ?');
  return {
    published,
    staged,
    stage: db.transaction((file: SourceFile) => {
      db.prepare('DELETE FROM files WHERE source = ? AND born > ?').run(file.source, generation);
      insertFile(db, file, next);
      staged.set(file.source, file.hash);
    }),
    unstage: db.transaction((keep: ReadonlySet<string>) => {
      for (const source of [...staged.keys()].filter((name) => !keep.has(name))) {
        removeFile(db, source, next, next);
        staged.delete(source);
      }
    }),
    publish: db.transaction((keep: ReadonlySet<string>, facts: Record<string, string>) => {
      const gone = [...published.keys()].filter((source) => !keep.has(source));
      const outdated = [...published.keys()].filter((source) => keep.has(source) && staged.has(source));
      for (const source of [...gone, ...outdated]) removeFile(db, source, 0, generation);
      addWords(db, generation);
      db.prepare(
        'DELETE FROM embeddings WHERE NOT EXISTS (SELECT 1 FROM pieces WHERE embedding_id = embeddings.id)',
      ).run();
      if (rebuild) db.prepare("DELETE FROM meta WHERE key LIKE 'gate_%'").run();
      const counts = { passages: String(count(db, 'passages')), files: String(count(db, 'files')) };
      setMeta(db, { ...facts, ...counts, generation: String(next) });
      return gone.length;
    }).immediate,
  };
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
    'INSERT INTO passages (file_id, ord, heading, start, "end", text) VALUES (?, ?, ?, ?, ?, ?)',
  );
  chunks.forEach((chunk, ord) => {
    insert.run(lastInsertRowid, ord, JSON.stringify(chunk.heading), chunk.start, chunk.end, chunk.text);
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
