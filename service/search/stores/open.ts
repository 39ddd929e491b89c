/** Opens an index by its name: a path is a SQLite file. */
import type { IndexReader, IndexWriter, Meta, ReaderOptions, WriterOptions } from './index-store.ts';
import { openSqliteReader } from './sqlite/reader.ts';
import { openSqliteWriter, writeSqliteMeta } from './sqlite/writer.ts';

/** Throws `not_found` when there is none, `bad_input` when it is something else. */
export async function openReader(db: string, options: ReaderOptions): Promise<IndexReader> {
  return openSqliteReader(db, options);
}

/** Creates the index where there is none. Throws `busy` while another process or call is writing it. */
export async function openWriter(db: string, options: WriterOptions): Promise<IndexWriter> {
  return openSqliteWriter(db, options);
}

/** Changes what an index says about itself; readers follow at their next search. Throws `busy` while it is being written. */
export async function writeMeta(db: string, values: Meta): Promise<void> {
  writeSqliteMeta(db, values);
}
