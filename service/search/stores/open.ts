/** Opens an index by its name: a path is a SQLite file, milvus://HOST:PORT/COLLECTION an index in that engine. */
import type { IndexReader, IndexWriter, Meta, ReaderOptions, WriterOptions } from './index-store.ts';
import { isMilvus, parseAddress } from './milvus/address.ts';
import { openSqliteReader } from './sqlite/reader.ts';
import { openSqliteWriter, writeSqliteMeta } from './sqlite/writer.ts';

/**
 * Throws `not_found` when there is none, `bad_input` when it is something else. An engine that is not there is found out
 * by the first call that needs it.
 */
export async function openReader(db: string, options: ReaderOptions): Promise<IndexReader> {
  if (!isMilvus(db)) return openSqliteReader(db, options);
  const { openMilvusReader } = await import('./milvus/reader.ts');
  return openMilvusReader(parseAddress(db), options);
}

/** Creates the index where there is none. Throws `busy` while another process or call is writing it. */
export async function openWriter(db: string, options: WriterOptions): Promise<IndexWriter> {
  if (!isMilvus(db)) return openSqliteWriter(db, options);
  const { openMilvusWriter } = await import('./milvus/writer.ts');
  return openMilvusWriter(parseAddress(db), options);
}

/** Changes what an index says about itself; readers follow at their next search. Throws `busy` while it is being written. */
export async function writeMeta(db: string, values: Meta): Promise<void> {
  if (!isMilvus(db)) return writeSqliteMeta(db, values);
  const { writeMilvusMeta } = await import('./milvus/writer.ts');
  return writeMilvusMeta(parseAddress(db), values);
}
