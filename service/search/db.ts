/**
 * The index file: one SQLite database in WAL mode. Readers see the last published generation, whatever a writer does.
 * Rows of `files` with `born` above the published generation are staged: they are not in the full-text table, so no
 * search can meet them, and the next run takes them over if the file is still the same.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { CodedError } from '../contract.ts';

export type Db = Database.Database;

export const SCHEMA_VERSION = 3;
const BEFORE_PLACES = '2';

const SCHEMA = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE files (
    id INTEGER PRIMARY KEY, source TEXT NOT NULL, hash TEXT NOT NULL, title TEXT NOT NULL, born INTEGER NOT NULL,
    UNIQUE (source, born)
  );
  CREATE TABLE passages (
    -- Never reused: a server that follows the index tells new passages by their larger ids.
    id INTEGER PRIMARY KEY AUTOINCREMENT, file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE, ord INTEGER NOT NULL,
    heading TEXT NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, text TEXT NOT NULL,
    -- Line, page or anchor as JSON (place.ts); null where none is known.
    place TEXT
  );
  CREATE INDEX passages_of_file ON passages (file_id);
  -- Vectors by the hash of the embedded text: a passage that moved, or came back, is not embedded again.
  CREATE TABLE embeddings (
    id INTEGER PRIMARY KEY AUTOINCREMENT, embedder TEXT NOT NULL, hash TEXT NOT NULL, vector BLOB NOT NULL, UNIQUE (embedder, hash)
  );
  -- A passage longer than the embedder's window has several pieces.
  CREATE TABLE pieces (
    passage_id INTEGER NOT NULL REFERENCES passages (id) ON DELETE CASCADE, ord INTEGER NOT NULL, embedding_id INTEGER NOT NULL,
    PRIMARY KEY (passage_id, ord)
  ) WITHOUT ROWID;
  CREATE INDEX pieces_of_embedding ON pieces (embedding_id);
  -- Tokens made by text/tokens.ts, divided by spaces; the ascii tokenizer only takes them apart again.
  CREATE VIRTUAL TABLE words USING fts5 (title, heading, body, content='', contentless_delete=1, tokenize='ascii');
`;

/** Opens an index for reading; a file that is no index of this version is refused with what to do. */
export function openForReading(path: string): Db {
  if (!existsSync(path))
    throw new CodedError('not_found', `There is no index at ${path}; make one with askdocs index PATH --db ${path}`);
  const db = open(path, { readonly: true });
  checkVersion(db, path);
  return db;
}

/** Opens an index for writing and creates it where there is none. */
export function openForWriting(path: string): Db {
  mkdirSync(dirname(path), { recursive: true });
  const db = open(path, {});
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.pragma('foreign_keys = ON');
  if (isBlank(db)) {
    db.transaction(() => {
      db.exec(SCHEMA);
      setMeta(db, { schema: String(SCHEMA_VERSION), generation: '0' });
    }).immediate();
  }
  checkVersion(db, path, [BEFORE_PLACES]);
  upgrade(db);
  return db;
}

export function getMeta(db: Db): Record<string, string> {
  const rows = db.prepare('SELECT key, value FROM meta').all() as { key: string; value: string }[];
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
}

/** The same, read again when another connection has written, and only then: until that it is one object. */
export function watchMeta(db: Db): () => Readonly<Record<string, string>> {
  const version = db.prepare('PRAGMA data_version').pluck();
  let seen: unknown;
  let meta: Record<string, string> = {};
  return () => {
    const now = version.get();
    if (now !== seen) meta = getMeta(db);
    seen = now;
    return meta;
  };
}

export function setMeta(db: Db, values: Record<string, string>): void {
  const put = db.prepare(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );
  for (const [key, value] of Object.entries(values)) put.run(key, value);
}

function open(path: string, options: Database.Options): Db {
  try {
    const db = new Database(path, { ...options, timeout: 5000 });
    db.pragma('cache_size = -65536');
    db.pragma('schema_version');
    return db;
  } catch (cause) {
    throw notAnIndex(path, cause);
  }
}

/** What the version before wrote lacks only the places: they come when a file is read again. */
function upgrade(db: Db): void {
  if (getMeta(db).schema !== BEFORE_PLACES) return;
  db.transaction(() => {
    db.exec('ALTER TABLE passages ADD COLUMN place TEXT');
    setMeta(db, { schema: String(SCHEMA_VERSION) });
  }).immediate();
}

function isBlank(db: Db): boolean {
  return (db.prepare('SELECT count(*) AS n FROM sqlite_schema').get() as { n: number }).n === 0;
}

function checkVersion(db: Db, path: string, older: string[] = []): void {
  let found: string | undefined;
  try {
    found = getMeta(db).schema;
  } catch (cause) {
    db.close();
    throw notAnIndex(path, cause);
  }
  if (found !== undefined && [String(SCHEMA_VERSION), ...older].includes(found)) return;
  db.close();
  throw new CodedError(
    'bad_input',
    found === BEFORE_PLACES
      ? `The index ${path} was made by an older version of askdocs; bring it up to date with askdocs index PATH --db ${path}`
      : `The index ${path} was made by another version of askdocs; delete it and run askdocs index again.`,
  );
}

function notAnIndex(path: string, cause: unknown): CodedError {
  return new CodedError('bad_input', `${path} is not an askdocs index; choose another path with --db, or delete it.`, {
    cause,
  });
}
