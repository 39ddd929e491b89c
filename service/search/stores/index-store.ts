/**
 * What the rest of the search server asks of an index, whoever keeps it: SQLite in a file of this machine (stores/sqlite)
 * or a distributed engine (stores/milvus). Both give the same passages for the same documents; only ranking may differ.
 */
import type { Passage, SearchResult } from '../../contract.ts';
import type { Chunk } from '../chunk.ts';
import type { Embedder } from '../embed/embedder.ts';
import type { Query } from '../text/query.ts';

export type Mode = SearchResult['mode'];

/** What an index says about itself, as text: fingerprint, counts, a calibrated gate. */
export type Meta = Readonly<Record<string, string>>;

export interface Wanted {
  query: Query;
  /** The question's vector; undefined leaves the dense half out. */
  vector: Float32Array | undefined;
  mode: Mode;
  /** Passages wanted at most, each text once. */
  count: number;
  /** Candidates of each half. */
  pool: number;
  /** Called with what the searched state of the index says of itself, before anything of it is returned; may throw. */
  check: (meta: Meta) => void;
}

export interface Found {
  meta: Meta;
  /** Best first. */
  passages: Passage[];
  /** Cosine of the nearest passage of all; null without a dense half. */
  cosine: number | null;
  /** Whether the index could be searched by meaning. */
  dense: boolean;
  /** Inverse document frequency of a token of the question. */
  idf: (token: string) => number;
  ms: { lexical: number; dense: number };
}

/** One document of the index. */
export interface SourceInfo {
  source: string;
  title: string;
  passages: number;
  /** Where it can be opened, when the index knows a base URL or the record named one. */
  url?: string;
}

export interface IndexReader {
  /** For people: where the index is, without secrets. */
  readonly name: string;
  /** Whether it is kept by another process, which may be down for a while. */
  readonly remote: boolean;
  meta(): Promise<Meta>;
  /** Every published source, by name. */
  sources(): Promise<SourceInfo[]>;
  /** Loads what the first search would have to wait for. */
  prepare(): Promise<void>;
  /** One consistent state of the index, whatever a writer does meanwhile. */
  search(wanted: Wanted): Promise<Found>;
  close(): void;
}

export interface ReaderOptions {
  /** Whether there is an embedder: without one no vectors are read. */
  dense: boolean;
}

export interface SourceFile {
  source: string;
  hash: string;
  title: string;
  chunks: Chunk[];
}

export type OnProgress = (done: number, total: number, label: string) => void;

export interface Watching {
  onProgress?: OnProgress | undefined;
  signal?: AbortSignal | undefined;
}

/** Stages files, then publishes them all at once. There is one writer of an index at a time. */
export interface IndexWriter {
  /** For people: where the index is, without secrets. */
  readonly name: string;
  /** What readers see. */
  meta(): Promise<Meta>;
  /** Hash of each source that readers see. */
  readonly published: ReadonlyMap<string, string>;
  /** Hash of each source that this run, or an interrupted one before it, has staged. */
  readonly staged: ReadonlyMap<string, string>;
  stage(file: SourceFile): Promise<void>;
  /** Forgets staged files that are not wanted any more. */
  unstage(keep: ReadonlySet<string>): Promise<void>;
  /** Gives every passage that will be visible its vectors; returns how many texts this run embedded. */
  embed(watching: Watching): Promise<number>;
  /** Makes the staged files visible and drops every source that is not in `keep`; returns how many were dropped. */
  publish(keep: ReadonlySet<string>, facts: Meta): Promise<number>;
  /** Lets go of the index: what was not published stays staged. */
  close(): Promise<void>;
}

export interface WriterOptions {
  /** Null: passages get no vectors. */
  embedder: Embedder | null;
  /** Names what makes passages of a text: what another version staged is of no use. */
  staging: string;
  /** Everything is made anew: a gate that was calibrated for what was there before goes too. */
  rebuild: boolean;
  /** Called with what the index says of itself before anything is changed; may throw. */
  check: (before: Meta) => void;
}
