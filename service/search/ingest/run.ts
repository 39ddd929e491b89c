/** One run of the indexer over an index that it has for itself: sources are added one by one, then all are published. */
import { createHash } from 'node:crypto';
import { CodedError } from '../../contract.ts';
import type { Chunk } from '../chunk.ts';
import type { Embedder } from '../embed/embedder.ts';
import { checkFacts, type Facts, factsOf } from '../fingerprint.ts';
import type { IndexWriter, Meta, OnProgress } from '../stores/index-store.ts';
import { shown } from '../stores/milvus/address.ts';
import { openWriter } from '../stores/open.ts';
import type { TextRecord } from './readers/records.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';
import type { Skipped } from './walk.ts';

export interface IndexSummary {
  db: string;
  /** Sources in the index now: files, and each record of a JSONL file. */
  files: number;
  passages: number;
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
  /** Files that could not be read, with the reason; files of unknown formats are counted in `ignored` alone. */
  skipped: Skipped[];
  /** Files read now of which a part could not be read. */
  warnings: Skipped[];
  /** Sources by format. */
  formats: Record<string, number>;
  ignored: number;
  /** Files and folders that were not looked at, counted by reason. */
  left_out: Record<string, number>;
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
  /** Where the sources can be opened: kept in the index; undefined leaves it as it is, '' takes it out. */
  baseUrl?: string | undefined;
  onProgress?: OnProgress | undefined;
  signal?: AbortSignal | undefined;
  /** One that outlives this run. */
  sandbox?: Sandbox | undefined;
}

export interface Run {
  writer: IndexWriter;
  options: IndexOptions;
  facts: Facts;
  sandbox: Sandbox;
  total: number;
  seen: Set<string>;
  counts: { added: number; changed: number; unchanged: number };
  skipped: Skipped[];
  warnings: Skipped[];
  formats: Record<string, number>;
}

export async function writing<T>(options: IndexOptions, work: (run: Run) => Promise<T>): Promise<T> {
  const facts = await factsOf(options.embedder ?? null);
  const rebuild = options.rebuild === true;
  const writer = await openWriter(options.db, {
    embedder: options.embedder ?? null,
    staging: `${facts.chunker} ${facts.tokenizer}`,
    rebuild,
    check: (before) => {
      if (!rebuild) checkBefore(before, facts, shown(options.db));
    },
  });
  const sandbox = options.sandbox ?? createSandbox();
  try {
    const counts = { added: 0, changed: 0, unchanged: 0 };
    const lists = { seen: new Set<string>(), skipped: [], warnings: [], formats: {} };
    return await work({ writer, options, facts, sandbox, total: 0, counts, ...lists });
  } finally {
    if (options.sandbox === undefined) sandbox.close();
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

/** Takes a source into the run; `read` is called only when the index does not have it in this state. */
export async function add(
  run: Run,
  source: string,
  hash: string,
  read: () => Promise<{ title: string; chunks: Chunk[] }>,
): Promise<void> {
  const { writer, options, counts } = run;
  checkSignal(run);
  const before = writer.published.get(source);
  if (before === hash && options.rebuild !== true) counts.unchanged++;
  else {
    if (writer.staged.get(source) !== hash) await writer.stage({ source, hash, ...(await read()) });
    counts[before === undefined ? 'added' : 'changed']++;
  }
  run.seen.add(source);
  options.onProgress?.(run.seen.size, Math.max(run.total, run.seen.size), source);
}

export function checkSignal({ options }: Run): void {
  if (options.signal?.aborted)
    throw new CodedError('cancelled', 'Stopped. What was read is kept; the same command goes on from here.');
}

export async function finish(
  run: Run,
  { started, ignored, leftOut }: { started: number; ignored: number; leftOut: Record<string, number> },
): Promise<IndexSummary> {
  const { writer, options, facts, seen } = run;
  await writer.unstage(seen);
  const embedded = await writer.embed(options);
  const before = await writer.meta();
  const baseUrl = options.baseUrl ?? before.base_url ?? '';
  const same = writer.staged.size === 0 && [...writer.published.keys()].every((source) => seen.has(source));
  const settled =
    same &&
    before.embedder === facts.embedder &&
    before.generation !== '0' &&
    before.generation !== undefined &&
    baseUrl === (before.base_url ?? '');
  const removed = settled
    ? 0
    : await writer.publish(seen, { ...facts, ...(baseUrl === (before.base_url ?? '') ? {} : { base_url: baseUrl }) });
  return {
    db: shown(options.db),
    files: seen.size,
    passages: Number((await writer.meta()).passages),
    ...run.counts,
    removed,
    skipped: run.skipped,
    warnings: run.warnings,
    formats: run.formats,
    ignored,
    left_out: leftOut,
    embedded,
    mode: facts.embedder === '' ? 'lexical' : 'hybrid',
    ms: Date.now() - started,
  };
}

export function hashOf(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}

export function hashOfRecord({ title, text, url }: TextRecord): string {
  return hashOf(`${title}\0${text}${url === undefined ? '' : `\0${url}`}`);
}
