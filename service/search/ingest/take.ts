/** Takes files into a run of the indexer: read, compared by hash, made passages; what cannot be read is named. */
import { Unreadable } from './document.ts';
import { Changing, readWhole, tooLarge } from './file.ts';
import { passagesOf, placed, type ReadFile } from './passages.ts';
import { readPlain } from './readers/plain.ts';
import { readRecords, type TextRecord } from './readers/records.ts';
import { type Format, formatOf, holdsRecords } from './readers.ts';
import { add, checkSignal, hashOf, hashOfRecord, type Run } from './run.ts';
import type { Found, Skipped } from './walk.ts';

/** What a run found out about a file, for the next run of the same process. */
interface Known {
  stamp: string;
  /** When it was read. */
  at: number;
  format: string;
  sources: { source: string; hash: string }[];
  skipped: Skipped[];
}

/** By path. The hash decides, as ever; the cache saves reading a file whose stamp says that nobody touched it. */
export type Cache = Map<string, Known>;

/** A file touched so shortly before it was read may have been touched again within the same tick of the clock. */
const RACY_MS = 2000;
/** Up to this many bytes our own readers are quick whatever the file holds; larger files are read apart. */
const HARMLESS = 128 * 1024;
/** Records of any size are read line by line; more than this is a database. */
const MAX_RECORDS_BYTES = 4 * 1024 * 1024 * 1024;

/** Documents first: a record must not take the name of a file. */
export async function takeFiles(run: Run, files: readonly Found[], cache?: Cache): Promise<void> {
  const [documents, records] = [files.filter(isDocument), files.filter((file) => !isDocument(file))];
  for (const file of [...documents, ...records]) {
    checkSignal(run);
    const known = cache?.get(file.path);
    if (known !== undefined && isFresh(run, file, known)) again(run, known);
    else {
      const noted = await take(run, file);
      if (noted === undefined) cache?.delete(file.path);
      else cache?.set(file.path, noted);
    }
  }
}

function isDocument({ path }: Found): boolean {
  return !holdsRecords(path);
}

function isFresh(run: Run, file: Found, known: Known): boolean {
  if (known.stamp !== file.stamp || file.changed > known.at - RACY_MS || run.options.rebuild === true) return false;
  return known.sources.every(({ source, hash }) => run.writer.published.get(source) === hash && !run.seen.has(source));
}

function again(run: Run, { sources, skipped, format }: Known): void {
  for (const { source } of sources) run.seen.add(source);
  run.counts.unchanged += sources.length;
  run.skipped.push(...skipped);
  count(run, format, sources.length);
}

/** Undefined when the file should be looked at again in any case. */
async function take(run: Run, file: Found): Promise<Known | undefined> {
  const at = Date.now();
  const known: Known = { stamp: file.stamp, at, format: '', sources: [], skipped: [] };
  const format = formatOf(file.path);
  try {
    if (format === undefined) await takeRecords(run, file, known);
    else await takeDocument(run, file, format, known);
  } catch (cause) {
    if (!(cause instanceof Unreadable)) throw cause;
    skip(run, known, file.source, cause.message);
    if (!(cause instanceof Changing)) return known;
    // Half a file is not to be read, and what the index has of it is better than nothing.
    if (run.writer.published.has(file.source)) run.seen.add(file.source);
    return undefined;
  }
  count(run, known.format, known.sources.length);
  return known;
}

async function takeDocument(run: Run, { path, source, size }: Found, format: Format, known: Known): Promise<void> {
  if (size > format.maxBytes) throw tooLarge(format.maxBytes);
  const bytes = await readWhole(path, format.maxBytes);
  // What a reader makes of a file is part of the file's state, for all but the two that never changed.
  const hash = format.version === 0 ? hashOf(bytes) : `${format.name} ${format.version} ${hashOf(bytes)}`;
  await add(run, source, hash, async () => {
    const { warnings, ...file } = await read(run, format, bytes, source);
    for (const reason of warnings) run.warnings.push({ source, reason });
    return file;
  });
  known.format = format.name;
  known.sources.push({ source, hash });
}

function read(run: Run, format: Format, bytes: Buffer, source: string): Promise<ReadFile> {
  return format.apart || bytes.length > HARMLESS
    ? run.sandbox.read(format, bytes, source, run.options.signal)
    : passagesOf(format, bytes, source);
}

/** Each record is a source; a line that is none is counted, and the first is named. */
async function takeRecords(run: Run, { path, source, size }: Found, known: Known): Promise<void> {
  if (size > MAX_RECORDS_BYTES) throw tooLarge(MAX_RECORDS_BYTES);
  const problems: string[] = [];
  let bad = 0;
  known.format = 'records';
  try {
    for await (const line of readRecords(path)) {
      const problem = 'problem' in line ? line.problem : await takeRecord(run, line.record, known);
      if (problem !== undefined && ++bad === 1) problems.push(`line ${line.line} ${problem}`);
    }
  } catch (cause) {
    if (!(cause instanceof Unreadable)) throw cause;
    skip(run, known, source, `${cause.message}; ${known.sources.length} records before it were read`);
  }
  const more = bad > 1 ? `, and ${bad - 1} more` : '';
  if (bad > 0) skip(run, known, source, `${problems[0]}${more}: each line has to be a record {"id", "title", "text"}`);
}

async function takeRecord(run: Run, record: TextRecord, known: Known): Promise<string | undefined> {
  if (run.seen.has(record.id)) return `has an id that stands elsewhere already (${record.id})`;
  const hash = hashOfRecord(record);
  await add(run, record.id, hash, async () => {
    const { title, chunks } = placed({ ...readPlain(record.text), title: record.title, lined: false }, record.id);
    return {
      title,
      chunks: chunks.map((piece) => (record.url === undefined ? piece : { ...piece, place: { url: record.url } })),
    };
  });
  known.sources.push({ source: record.id, hash });
  return undefined;
}

function skip(run: Run, known: Known, source: string, reason: string): void {
  run.skipped.push({ source, reason });
  known.skipped.push({ source, reason });
}

function count(run: Run, format: string, sources: number): void {
  if (sources > 0) run.formats[format] = (run.formats[format] ?? 0) + sources;
}
