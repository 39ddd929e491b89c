/**
 * The reading side of an index. `openStore(db).search({query, k, mode, gate})` is what the tool crag_search calls, and
 * what an evaluation may call directly: with `gate: false` and k up to 1000, thousands of questions run straight on it.
 *
 *   import { embedSettings, openEmbedder } from './embed/open.ts';
 *   import { indexRecords } from './ingest/index.ts';
 *   const { embedder } = await openEmbedder(embedSettings(process.env)); // null: lexical only
 *   await indexRecords({ db: 'x.db', embedder, records: [{ id: 'd1', title: 'T', text: 'body' }] });
 *   const store = await openStore('x.db', { embedder });
 *   const found = await store.search({ query: 'body', k: 100, mode: 'hybrid', gate: false });
 *   found.passages[0]?.source; // 'd1': a record is a source named by its id; a long one has several passages
 *   store.close();
 */
import { CodedError, type Passage, type SearchResult } from '../contract.ts';
import type { Embedder } from './embed/embedder.ts';
import { checkFacts, type Facts, factsOf } from './fingerprint.ts';
import { DEPTH, type Evidence, evidenceOf, type Gate, gateOf, passes } from './gate.ts';
import type { IndexReader, Meta, Mode } from './stores/index-store.ts';
import { openReader } from './stores/open.ts';
import { parseQuery, type Query } from './text/query.ts';

export type { Mode } from './stores/index-store.ts';

export interface SearchOptions {
  query: string;
  k: number;
  /** Default: the best the index and the settings allow. */
  mode?: Mode | undefined;
  /** False: everything is returned as passages, ranked. Default true. */
  gate?: boolean | undefined;
}

export interface StoreOptions {
  embedder?: Embedder | null | undefined;
  /** Why there is no embedder. */
  note?: string | null | undefined;
  /** From CRAG_MIN_COSINE: least top cosine, in place of the gate; -1 turns the gate off. */
  minCosine?: number | undefined;
}

/** What is known about one search besides its result: for the gate's calibration and for measurements. */
export interface Detailed extends SearchResult {
  evidence: Evidence;
  ms: { embed: number; lexical: number; dense: number; rest: number };
}

export interface Store {
  search(options: SearchOptions): Promise<Detailed>;
  /** By name, in order: what `crag_stats` says. */
  stats(): Promise<Record<string, string>>;
  close(): void;
}

/** Candidates of each half: deeper ones cannot reach the first twenty places. */
const POOL = 100;

export async function openStore(path: string, options: StoreOptions = {}): Promise<Store> {
  const reader = await openReader(path, { dense: Boolean(options.embedder) });
  try {
    const facts = await factsOf(options.embedder ?? null);
    const parts: Parts = { reader, path: reader.name, options, facts, checked: undefined };
    await begin(parts);
    return { search: (wanted) => search(parts, wanted), stats: () => stats(parts), close: () => reader.close() };
  } catch (error) {
    reader.close();
    throw error;
  }
}

interface Parts {
  reader: IndexReader;
  path: string;
  options: StoreOptions;
  facts: Facts;
  /** The generation whose fingerprint was compared with the settings. */
  checked: string | undefined;
}

/** An engine that is down now may be there for the first question; then it is checked. */
async function begin(parts: Parts): Promise<void> {
  try {
    check(parts, await parts.reader.meta());
    await parts.reader.prepare();
  } catch (error) {
    if (!parts.reader.remote || !isPassing(error)) throw error;
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof CodedError && (error.code === 'unavailable' || error.code === 'timeout');
}

/** A rebuilt index may not be comparable any more: each generation is checked once. */
function check(parts: Parts, meta: Meta): void {
  if (meta.generation !== undefined && meta.generation === parts.checked) return;
  checkFacts(meta, parts.facts, parts.path);
  parts.checked = meta.generation;
}

async function search(parts: Parts, wanted: SearchOptions): Promise<Detailed> {
  const started = performance.now();
  const query = parseQuery(wanted.query);
  const { embedder } = parts.options;
  const mode = wanted.mode ?? (isForDense(query, embedder) ? 'hybrid' : 'lexical');
  const vector =
    mode === 'lexical' || !embedder || (await parts.reader.meta()).embedder === ''
      ? undefined
      : await embedder.embedQuery(wanted.query);
  const embed = performance.now() - started;
  const { k } = wanted;
  const found = await parts.reader.search({
    query,
    vector,
    mode,
    count: Math.max(k, DEPTH),
    pool: Math.max(POOL, k * 2 + 10),
    check: (meta) => check(parts, meta),
  });
  if (mode === 'dense' && !found.dense)
    throw new CodedError(
      'bad_config',
      'This index cannot be searched by meaning: it has no vectors, or there is no embedder.',
    );
  const evidence = evidenceOf(query, found.passages, found.idf, found.cosine);
  const result = judged(found.passages.slice(0, k), evidence, {
    settings: wanted.gate === false ? undefined : gateOf(found.meta, parts.options.minCosine),
    empty: found.meta.passages === '0',
  });
  const { lexical, dense } = found.ms;
  const ms = { embed, lexical, dense, rest: performance.now() - started - embed - lexical - dense };
  return { ...result, mode: found.dense ? mode : 'lexical', evidence, ms };
}

const EMPTY = '(index is empty: run askdocs index PATH)';
const NOTHING = '(no matching chunks)';
const WEAK = '(no chunk cleared the relevance threshold: the documents do not seem to be about this)';

function judged(
  passages: Passage[],
  evidence: Evidence,
  { settings, empty }: { settings: Gate | undefined; empty: boolean },
) {
  if (passages.length === 0) return { passages, below_gate: [], note: empty ? EMPTY : NOTHING };
  return settings === undefined || passes(evidence, settings)
    ? { passages, below_gate: [], note: null }
    : { passages: [], below_gate: passages, note: WEAK };
}

function isForDense(query: Query, embedder: Embedder | null | undefined): boolean {
  return Boolean(embedder) && (!query.cjk || embedder?.multilingual === true);
}

async function stats(parts: Parts): Promise<Record<string, string>> {
  const meta = await parts.reader.meta();
  const { embedder, note, minCosine } = parts.options;
  const hybrid = Boolean(meta.embedder) && Boolean(embedder);
  const settings = gateOf(meta, minCosine);
  const why = hybrid
    ? ''
    : embedder
      ? 'The index has no vectors; add them with askdocs index PATH.'
      : (note ?? 'There is no embedder.');
  return {
    db: parts.path,
    chunks: meta.passages ?? '0',
    files: meta.files ?? '0',
    dim: hybrid ? (meta.dim ?? '0') : '0',
    mode: hybrid ? 'hybrid' : 'lexical',
    ...(hybrid ? { embedder: `${meta.embedder_name} ${meta.embedder}` } : {}),
    ...(why === '' ? {} : { note: why }),
    gate: settings.text(hybrid),
    chunker: meta.chunker ?? '',
    tokenizer: meta.tokenizer ?? '',
  };
}
