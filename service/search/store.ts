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
import { type Db, getMeta, openForReading } from './db.ts';
import { createDense, type Dense } from './dense.ts';
import type { Embedder } from './embed/embedder.ts';
import { checkFacts, type Facts, factsOf } from './fingerprint.ts';
import { type Fused, fuse } from './fusion.ts';
import { DEPTH, type Evidence, evidenceOf, type Gate, gateOf, passes } from './gate.ts';
import { createLexical, type Lexical } from './lexical.ts';
import { loadPassages } from './passages.ts';
import { parseQuery, type Query } from './text/query.ts';

export type Mode = SearchResult['mode'];

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
  stats(): Record<string, string>;
  close(): void;
}

/** Candidates of each half: deeper ones cannot reach the first twenty places. */
const POOL = 100;

export async function openStore(path: string, options: StoreOptions = {}): Promise<Store> {
  const db = openForReading(path);
  try {
    const facts = await factsOf(options.embedder ?? null);
    checkFacts(getMeta(db), facts, path);
    const parts: Parts = { db, path, options, facts, lexical: createLexical(db), dense: undefined, checked: '' };
    denseOf(parts, getMeta(db));
    return { search: (wanted) => search(parts, wanted), stats: () => stats(parts), close: () => db.close() };
  } catch (error) {
    db.close();
    throw error;
  }
}

interface Parts {
  db: Db;
  path: string;
  options: StoreOptions;
  facts: Facts;
  lexical: Lexical;
  /** Made when the index has vectors and there is an embedder. */
  dense: Dense | undefined;
  /** The generation whose fingerprint was compared with the settings. */
  checked: string | undefined;
}

async function search(parts: Parts, wanted: SearchOptions): Promise<Detailed> {
  const started = performance.now();
  const query = parseQuery(wanted.query);
  const { embedder } = parts.options;
  const mode = wanted.mode ?? (isForDense(query, embedder) ? 'hybrid' : 'lexical');
  const vector =
    mode === 'lexical' || !embedder || getMeta(parts.db).embedder === ''
      ? undefined
      : await embedder.embedQuery(wanted.query);
  const embed = performance.now() - started;
  // One snapshot: an index published in between must not mix with the one searched.
  return parts.db.transaction(() => {
    const meta = getMeta(parts.db);
    if (meta.generation !== parts.checked) checkFacts(meta, parts.facts, parts.path);
    parts.checked = meta.generation;
    const dense = vector === undefined ? undefined : denseOf(parts, meta);
    if (mode === 'dense' && dense === undefined)
      throw new CodedError(
        'bad_config',
        'This index cannot be searched by meaning: it has no vectors, or there is no embedder.',
      );
    return ranked(parts, { query, k: wanted.k, mode, gated: wanted.gate !== false, dense, vector, meta, embed });
  })();
}

interface Ranking {
  query: Query;
  k: number;
  mode: Mode;
  gated: boolean;
  dense: Dense | undefined;
  vector: Float32Array | undefined;
  meta: Record<string, string>;
  embed: number;
}

function ranked(parts: Parts, { query, k, mode, gated, dense, vector, meta, embed }: Ranking): Detailed {
  const pool = Math.max(POOL, k * 2 + 10);
  const from = performance.now();
  const words = mode === 'dense' ? [] : parts.lexical.search(query, pool);
  const between = performance.now();
  const near = dense === undefined || vector === undefined ? [] : dense.search(vector, pool);
  const then = performance.now();
  const fused = fuse(words, near, near.length === 0 ? 0 : mode === 'dense' ? 1 : undefined);
  const wanted = Math.max(k, DEPTH);
  const best = loadPassages(parts.db, withCosines(fused.slice(0, wanted * 2 + 10), dense, vector), wanted);
  const evidence = evidenceOf(query, best, parts.lexical.idf, near[0]?.score ?? null);
  const passages = best.slice(0, k);
  const result = gated
    ? gate(passages, evidence, gateOf(meta, parts.options.minCosine))
    : { passages, below_gate: [], note: null };
  const note = passages.length > 0 ? result.note : meta.passages === '0' ? EMPTY : NOTHING;
  const ms = { embed, lexical: between - from, dense: then - between, rest: performance.now() - then };
  return { ...result, note, mode: dense === undefined ? 'lexical' : mode, evidence, ms };
}

const EMPTY = '(index is empty: run askdocs index PATH)';
const NOTHING = '(no matching chunks)';
const WEAK = '(no chunk cleared the relevance threshold: the documents do not seem to be about this)';

function gate(passages: Passage[], evidence: Evidence, settings: Gate) {
  return passes(evidence, settings)
    ? { passages, below_gate: [], note: null }
    : { passages: [], below_gate: passages, note: WEAK };
}

/** What only the words found has a cosine too: whoever reads the result compares by it. */
function withCosines(fused: Fused[], dense: Dense | undefined, vector: Float32Array | undefined): Fused[] {
  if (dense === undefined || vector === undefined) return fused;
  return fused.map((one) => (one.cosine === null ? { ...one, cosine: dense.cosine(vector, one.id) } : one));
}

function isForDense(query: Query, embedder: Embedder | null | undefined): boolean {
  return Boolean(embedder) && (!query.cjk || embedder?.multilingual === true);
}

/** The dense half when index and settings have one, in step with the index. */
function denseOf(parts: Parts, meta: Record<string, string>): Dense | undefined {
  if (!meta.embedder || !parts.options.embedder) return undefined;
  parts.dense ??= createDense(parts.db, Number(meta.dim));
  parts.dense.refresh();
  return parts.dense;
}

function stats(parts: Parts): Record<string, string> {
  const meta = getMeta(parts.db);
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
