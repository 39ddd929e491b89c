/** Opens an index by its name: a path is a SQLite file, milvus://HOST:PORT/COLLECTION an index in that engine. */
import { CodedError } from '../../contract.ts';
import type { IndexReader, IndexWriter, Meta, ReaderOptions, WriterOptions } from './index-store.ts';
import { isMilvus, parseAddress } from './milvus/address.ts';
import { openSqliteReader } from './sqlite/reader.ts';
import { openSqliteWriter, writeSqliteMeta } from './sqlite/writer.ts';

/**
 * Throws `not_found` when there is none, `bad_input` when it is something else. An engine that is not there is found out
 * by the first call that needs it.
 */
export async function openReader(db: string, options: ReaderOptions): Promise<IndexReader> {
  if (isFile(db)) return openSqliteReader(db, options);
  const { openMilvusReader } = await import('./milvus/reader.ts');
  return openMilvusReader(parseAddress(db), options);
}

/** Creates the index where there is none. Throws `busy` while another process or call is writing it. */
export async function openWriter(db: string, options: WriterOptions): Promise<IndexWriter> {
  if (isFile(db)) return openSqliteWriter(db, options);
  const { openMilvusWriter } = await import('./milvus/writer.ts');
  return openMilvusWriter(parseAddress(db), options);
}

/** Changes what an index says about itself; readers follow at their next search. Throws `busy` while it is being written. */
export async function writeMeta(db: string, values: Meta): Promise<void> {
  if (isFile(db)) return writeSqliteMeta(db, values);
  const { writeMilvusMeta } = await import('./milvus/write-meta.ts');
  return writeMilvusMeta(parseAddress(db), values);
}

/** Throws `bad_input` for what is neither: a file of such a name would be made without a word. */
function isFile(db: string): boolean {
  if (isMilvus(db)) return false;
  if (db.trim() === '')
    throw new CodedError('bad_input', 'The name of the index is empty; name a file or a milvus:// address.');
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(db)?.[1];
  if (scheme === undefined) return true;
  throw new CodedError(
    'bad_input',
    `${scheme}:// is no place for an index; name a file, or milvus://HOST:PORT/COLLECTION (milvuss:// over TLS).`,
  );
}
