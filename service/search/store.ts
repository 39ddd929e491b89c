/**
 * The reading side of an index. `openStore(db).search({query, k, mode, gate})` is what the tool crag_search calls, and
 * what an evaluation may call directly: with `gate: false` and k up to 1000, thousands of questions run straight on it.
 *
 *   import { indexRecords } from './ingest/index.ts';
 *   await indexRecords({ db: 'x.db', records: [{ id: 'd1', title: 'T', text: 'body' }] });
 *   const store = await openStore('x.db');
 *   const found = await store.search({ query: 'body', k: 100, mode: 'lexical', gate: false });
 *   found.passages[0]?.source; // 'd1': a record is a source named by its id; a long one has several passages
 *   store.close();
 */
import type { Passage, SearchResult } from '../contract.ts';
import { type Db, getMeta, openForReading } from './db.ts';
import { coverage } from './gate.ts';
import { createLexical, type Lexical, type Scored } from './lexical.ts';
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
  /** From CRAG_MIN_COSINE; -1 turns the gate off. */
  minCosine?: number | undefined;
}

export interface Store {
  search(options: SearchOptions): Promise<SearchResult>;
  stats(): StoreStats;
  close(): void;
}

export interface StoreStats {
  db: string;
  chunks: number;
  files: number;
  dim: number;
  mode: Mode;
}

/** Least share of the question's rare words that the best passage must have when there is no embedder. */
export const MIN_COVERAGE = 0.45;
/** Passages whose coverage is looked at: the best evidence is among the first. */
const GATE_DEPTH = 10;

export async function openStore(path: string, options: StoreOptions = {}): Promise<Store> {
  const db = openForReading(path);
  const lexical = createLexical(db);
  return {
    search: async (wanted) => search({ db, lexical, options }, wanted),
    stats: () => stats(db, path),
    close: () => db.close(),
  };
}

interface Parts {
  db: Db;
  lexical: Lexical;
  options: StoreOptions;
}

function search({ db, lexical, options }: Parts, wanted: SearchOptions): SearchResult {
  const query = parseQuery(wanted.query);
  // One snapshot: an index published in between must not mix with the one searched.
  return db.transaction((): SearchResult => {
    const found = lexical.search(query, wanted.k * 2 + 10);
    const passages = load(db, found, wanted.k);
    if (passages.length === 0) {
      const empty = (db.prepare('SELECT 1 FROM passages LIMIT 1').get() as unknown) === undefined;
      return result([], [], empty ? '(index is empty: run askdocs index PATH)' : '(no matching chunks)');
    }
    const off = wanted.gate === false || options.minCosine === -1;
    if (off || evidence(query, passages, lexical) >= MIN_COVERAGE) return result(passages, [], null);
    return result(
      [],
      passages,
      '(no chunk cleared the relevance threshold: the documents do not seem to be about this)',
    );
  })();
}

function evidence(query: Query, passages: Passage[], lexical: Lexical): number {
  const texts = passages
    .slice(0, GATE_DEPTH)
    .map((passage) => [passage.title, ...passage.heading, passage.text].join('\n'));
  return Math.max(...texts.map((text) => coverage(query, text, lexical.idf)));
}

function result(passages: Passage[], below: Passage[], note: string | null): SearchResult {
  return { passages, below_gate: below, mode: 'lexical', note };
}

interface Row {
  source: string;
  title: string;
  heading: string;
  start: number;
  end: number;
  text: string;
}

/** The passages in order, the same text once only. */
function load(db: Db, found: Scored[], k: number): Passage[] {
  const select = db.prepare(
    'SELECT f.source, f.title, p.heading, p.start, p."end", p.text FROM passages p JOIN files f ON f.id = p.file_id WHERE p.id = ?',
  );
  const best = found[0]?.score ?? 1;
  const seen = new Set<string>();
  const passages: Passage[] = [];
  for (const { id, score } of found) {
    if (passages.length === k) break;
    const row = select.get(id) as Row | undefined;
    if (row === undefined || seen.has(row.text)) continue;
    seen.add(row.text);
    const heading = JSON.parse(row.heading) as string[];
    passages.push({ ...row, heading, cosine: null, bm25: score, fusion: best > 0 ? score / best : 0 });
  }
  return passages;
}

function stats(db: Db, path: string): StoreStats {
  const meta = getMeta(db);
  return { db: path, chunks: Number(meta.passages ?? 0), files: Number(meta.files ?? 0), dim: 0, mode: 'lexical' };
}
