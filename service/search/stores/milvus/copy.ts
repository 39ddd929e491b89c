/** Takes files of the published build along into the new one, as they are or with new vectors. */
import { CodedError } from '../../../contract.ts';
import type { Watching } from '../index-store.ts';
import { type Batch, markers, upsert } from './batch.ts';
import type { Building } from './building.ts';
import type { Engine } from './client.ts';
import type { Build } from './collections.ts';
import { factsIn, type Row, rowsOf } from './facts.ts';
import { draftOf, keyOf } from './rows.ts';
import { type FileFact, fileOf } from './view.ts';

export interface Copying {
  engine: Engine;
  from: Build;
  to: Building;
  /** Keys of files. */
  wanted: ReadonlySet<string>;
  /** Whether rows have vectors to take along. */
  vectors: boolean;
  /** Given: passages are embedded anew through it. */
  batch: Batch | undefined;
  watching: Watching;
}

interface Whole {
  file: FileFact;
  rows: Row[];
}

/** Rows of one request; with vectors of 384 dimensions about a megabyte. */
const PAGE = 250;

export async function copyFiles(copying: Copying): Promise<void> {
  const { wanted, batch, watching } = copying;
  if (wanted.size === 0) return;
  let group: Whole[] = [];
  let rows = 0;
  let done = 0;
  for await (const whole of filesOf(copying)) {
    if (watching.signal?.aborted)
      throw new CodedError(
        'cancelled',
        'Stopped. What was read and embedded is kept; the same command goes on from here.',
      );
    if (batch !== undefined) await batch.add(whole.file, whole.rows.map(draftOf));
    else {
      group.push(whole);
      rows += whole.rows.length;
      if (rows >= PAGE || group.length >= PAGE) {
        await write(copying, group);
        group = [];
        rows = 0;
      }
    }
    watching.onProgress?.(++done, wanted.size, 'unchanged files taken along');
  }
  await write(copying, group);
  await batch?.flush();
}

async function write({ engine, to }: Copying, group: readonly Whole[]): Promise<void> {
  const files = group.map(({ file }) => file);
  const rows = group.flatMap((whole) => whole.rows);
  await to.facts.put(markers(files, false));
  for (let at = 0; at < rows.length; at += PAGE) await upsert(engine, to.build.passages, rows.slice(at, at + PAGE));
  await to.facts.put(markers(files, true));
}

/** The wanted files one after the other, for their rows lie together; those without a passage last. */
async function* filesOf({ engine, from, wanted, vectors, batch }: Copying): AsyncGenerator<Whole> {
  const files = await factsOf(engine, from, wanted);
  const query = {
    collection_name: from.passages,
    key: 'id',
    expr: batch === undefined ? 'piece >= 0' : 'piece == 0',
    output_fields: ['id', 'file', 'piece', 'hash', 'passage', 'tokens', ...(vectors ? ['dense'] : [])],
  };
  let current: Whole | undefined;
  for await (const row of rowsOf(engine, query, PAGE)) {
    const key = String(row.file);
    if (current !== undefined && keyOf(current.file.source) !== key) {
      yield current;
      current = undefined;
    }
    const file = files.get(key);
    if (current !== undefined) current.rows.push(row);
    else if (file !== undefined) {
      files.delete(key);
      current = { file, rows: [row] };
    }
  }
  if (current !== undefined) yield current;
  for (const file of files.values()) yield { file, rows: [] };
}

async function factsOf(engine: Engine, from: Build, wanted: ReadonlySet<string>): Promise<Map<string, FileFact>> {
  const files = new Map<string, FileFact>();
  for await (const [key, value] of factsIn(engine, from.facts).all('file:')) {
    const name = key.slice('file:'.length);
    if (wanted.has(name)) files.set(name, fileOf(value));
  }
  return files;
}
