/**
 * Brings an index into step with files or records: only what changed is read into passages again, what is gone leaves
 * nothing behind, and readers see the old index until the new one is whole.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CodedError } from '../../contract.ts';
import { chunk } from '../chunk.ts';
import type { Embedder } from '../embed/embedder.ts';
import { checkFacts, type Facts, factsOf } from '../fingerprint.ts';
import type { IndexWriter, Meta, OnProgress } from '../stores/index-store.ts';
import { openWriter } from '../stores/open.ts';
import { readPlain } from './plain.ts';
import { KNOWN_EXTENSIONS, readerFor } from './readers.ts';
import { type Found, walk } from './walk.ts';

export interface IndexSummary {
  db: string;
  /** Files in the index now. */
  files: number;
  passages: number;
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
  /** Files that could not be read, with the reason; files of unknown formats are counted in `ignored` alone. */
  skipped: { source: string; reason: string }[];
  ignored: number;
  /** Texts embedded now; what was embedded before is taken over. */
  embedded: number;
  mode: 'lexical' | 'hybrid';
  ms: number;
}

export interface IndexOptions {
  db: string;
  /** Without one the index is searched by words alone. */
  embedder?: Embedder | null | undefined;
  /** Reads and embeds everything anew: needed after a change of embedder or version. */
  rebuild?: boolean | undefined;
  onProgress?: OnProgress | undefined;
  signal?: AbortSignal | undefined;
}

/** A record as JSONL holds it: becomes one source named by its id. */
export interface TextRecord {
  id: string;
  title: string;
  text: string;
}

/** Larger files are data, not documents; they are reported and skipped. */
const MAX_BYTES = 20 * 1024 * 1024;

export async function indexPaths(options: IndexOptions & { roots: readonly string[] }): Promise<IndexSummary> {
  const started = Date.now();
  const all = await walk(options.roots);
  const readable = all.filter((file) => readerFor(file.path) !== undefined);
  if (readable.length === 0) throw nothingToRead(options.roots, all);
  return writing(options, async (run) => {
    run.total = readable.length;
    for (const file of readable) await addFile(run, file);
    if (run.seen.size === 0) throw allBroken(options.roots, run);
    return finish(run, { started, ignored: all.length - readable.length });
  });
}

/** The same for records from anywhere, one after the other: nothing but the passages of one is held in memory. */
export async function indexRecords(
  options: IndexOptions & { records: AsyncIterable<TextRecord> | Iterable<TextRecord> },
): Promise<IndexSummary> {
  const started = Date.now();
  return writing(options, async (run) => {
    for await (const record of options.records) {
      await add(run, record.id, hashOf(`${record.title}\0${record.text}`), () => ({
        ...readPlain(record.text),
        title: record.title,
      }));
    }
    return finish(run, { started, ignored: 0 });
  });
}

interface Run {
  writer: IndexWriter;
  options: IndexOptions;
  facts: Facts;
  total: number;
  seen: Set<string>;
  counts: { added: number; changed: number; unchanged: number };
  skipped: { source: string; reason: string }[];
}

async function writing<T>(options: IndexOptions, work: (run: Run) => Promise<T>): Promise<T> {
  const facts = await factsOf(options.embedder ?? null);
  const rebuild = options.rebuild === true;
  const writer = await openWriter(options.db, {
    embedder: options.embedder ?? null,
    staging: `${facts.chunker} ${facts.tokenizer}`,
    rebuild,
    check: (before) => {
      if (!rebuild) checkBefore(before, facts, options.db);
    },
  });
  try {
    const counts = { added: 0, changed: 0, unchanged: 0 };
    return await work({ writer, options, facts, total: 0, seen: new Set(), counts, skipped: [] });
  } finally {
    await writer.close();
  }
}

function checkBefore(before: Meta, facts: Facts, db: string): void {
  checkFacts(before, facts, db);
  if (before.embedder && facts.embedder === '') {
    throw new CodedError(
      'bad_config',
      `The index ${db} has vectors of ${before.embedder_name}, and there is no embedder now. Fetch it with askdocs models pull, or make an index without vectors: askdocs index PATH --db ${db} --rebuild`,
    );
  }
}

async function addFile(run: Run, file: Found): Promise<void> {
  const reader = readerFor(file.path);
  if (reader === undefined) return;
  if (file.size > MAX_BYTES) return skip(run, file.source, `larger than ${MAX_BYTES / 1024 / 1024} MB`);
  let bytes: Buffer;
  try {
    bytes = await readFile(file.path);
  } catch (cause) {
    return skip(run, file.source, `cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown reason'})`);
  }
  if (bytes.includes(0)) return skip(run, file.source, 'is binary, not text');
  const text = new TextDecoder('utf-8').decode(bytes);
  const named = { title: file.source.replace(/^.*\//, '').replace(/\.[^.]+$/, '') };
  await add(run, file.source, hashOf(bytes), () => {
    const document = reader.read(text);
    return { ...document, title: document.title || named.title };
  });
}

async function add(run: Run, source: string, hash: string, read: () => ReturnType<typeof readPlain>): Promise<void> {
  const { writer, options, counts } = run;
  if (options.signal?.aborted)
    throw new CodedError('cancelled', 'Stopped. What was read is kept; the same command goes on from here.');
  if (run.seen.has(source)) throw new CodedError('bad_input', `Two records have the id ${source}.`);
  run.seen.add(source);
  const before = writer.published.get(source);
  if (before === hash && options.rebuild !== true) counts.unchanged++;
  else {
    counts[before === undefined ? 'added' : 'changed']++;
    if (writer.staged.get(source) !== hash) {
      const document = read();
      await writer.stage({ source, hash, title: document.title, chunks: chunk(document) });
    }
  }
  options.onProgress?.(run.seen.size, Math.max(run.total, run.seen.size), source);
}

function skip(run: Run, source: string, reason: string): void {
  run.skipped.push({ source, reason });
}

async function finish(run: Run, { started, ignored }: { started: number; ignored: number }): Promise<IndexSummary> {
  const { counts, skipped, writer, options, facts, seen } = run;
  await writer.unstage(seen);
  const embedded = await writer.embed(options);
  const before = await writer.meta();
  const same = writer.staged.size === 0 && [...writer.published.keys()].every((source) => seen.has(source));
  const settled = same && before.embedder === facts.embedder && before.generation !== '0';
  const removed = settled ? 0 : await writer.publish(seen, { ...facts });
  const passages = Number((await writer.meta()).passages);
  const mode = facts.embedder === '' ? 'lexical' : 'hybrid';
  return {
    db: options.db,
    files: seen.size,
    passages,
    ...counts,
    removed,
    skipped,
    ignored,
    embedded,
    mode,
    ms: Date.now() - started,
  };
}

function hashOf(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}

function nothingToRead(roots: readonly string[], all: Found[]): CodedError {
  const where = roots.join(', ');
  if (all.length === 0) return new CodedError('bad_input', `There are no files in ${where}.`);
  return new CodedError(
    'bad_input',
    `None of the ${all.length} files in ${where} can be read; askdocs reads ${KNOWN_EXTENSIONS.join(', ')}.`,
  );
}

function allBroken(roots: readonly string[], run: Run): CodedError {
  const [first] = run.skipped;
  return new CodedError(
    'bad_input',
    `No file in ${roots.join(', ')} could be read; ${first?.source}: ${first?.reason}.`,
  );
}
