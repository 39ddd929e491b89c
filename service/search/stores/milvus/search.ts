/** One question to the engine: BM25 over our words, HNSW over vectors, joined there by reciprocal rank. */
import type { Engine } from './client.ts';
import { SEARCH_MS } from './client.ts';
import { spell } from './tokens.ts';

export interface Hit {
  id: string;
  /** 0 to 1. */
  fusion: number;
}

export interface Ranking {
  /** Best first. */
  hits: Hit[];
  /** Of those the words found. */
  bm25: ReadonlyMap<string, number>;
  /** Cosine of the nearest passage of all. */
  nearest: number | null;
}

export interface Asked {
  tokens: readonly string[];
  vector: Float32Array | undefined;
  /** Candidates of each half. */
  pool: number;
  limit: number;
}

/** The usual constant of reciprocal rank fusion. */
const RRF_K = 60;
/** The engine returns no more for one search. */
const MAX_LIMIT = 16_384;

export async function rank(engine: Engine, collection: string, asked: Asked): Promise<Ranking> {
  const pool = Math.min(Math.max(asked.pool, asked.limit), MAX_LIMIT);
  const { vector } = asked;
  // The scores of the halves are asked for beside the fusion, which returns its own alone.
  const [words, near, fused] = await Promise.all([
    asked.tokens.length === 0 ? [] : byWords(engine, collection, asked.tokens, pool),
    vector === undefined ? [] : byMeaning(engine, collection, vector, asked.tokens.length === 0 ? pool : 1),
    vector === undefined || asked.tokens.length === 0
      ? undefined
      : byBoth(engine, collection, { ...asked, vector, pool }),
  ]);
  const hits = fused ?? stretched(words.length > 0 ? words : near);
  return { hits: hits.slice(0, asked.limit), bm25: new Map(words), nearest: near[0]?.[1] ?? null };
}

export function asVector(value: unknown): readonly number[] {
  return Array.isArray(value) ? (value as number[]) : [];
}

type Scored = [id: string, score: number];

async function byWords({ run, sdk }: Engine, collection_name: string, tokens: readonly string[], limit: number) {
  const { results } = await run(
    (client, timeout) =>
      client.search({
        collection_name,
        timeout,
        anns_field: 'lexical',
        data: spell(tokens),
        metric_type: sdk.MetricType.BM25,
        limit,
        output_fields: ['id'],
      }),
    SEARCH_MS,
  );
  // Milvus Lite gives BM25 as a distance, below zero.
  return (results as Answer[]).map(({ id, score }): Scored => [String(id), Math.abs(score)]);
}

async function byMeaning({ run, sdk }: Engine, collection_name: string, vector: Float32Array, limit: number) {
  const { results } = await run(
    (client, timeout) =>
      client.search({
        collection_name,
        timeout,
        anns_field: 'dense',
        data: [...vector],
        metric_type: sdk.MetricType.COSINE,
        params: { ef: breadth(limit) },
        limit,
        output_fields: ['id'],
      }),
    SEARCH_MS,
  );
  return (results as Answer[]).map(({ id, score }): Scored => [String(id), score]);
}

async function byBoth(
  { run, sdk }: Engine,
  collection_name: string,
  { tokens, vector, pool, limit }: Asked & { vector: Float32Array },
): Promise<Hit[]> {
  const { results } = await run(
    (client, timeout) =>
      client.hybridSearch({
        collection_name,
        timeout,
        data: [
          {
            anns_field: 'lexical',
            data: spell(tokens),
            metric_type: sdk.MetricType.BM25,
            limit: pool,
          },
          {
            anns_field: 'dense',
            data: [...vector],
            metric_type: sdk.MetricType.COSINE,
            params: { ef: breadth(pool) },
            limit: pool,
          },
        ],
        rerank: sdk.RRFRanker(RRF_K),
        limit,
        output_fields: ['id'],
      }),
    SEARCH_MS,
  );
  // First in both halves is 1.
  return (results as Answer[]).map(({ id, score }) => ({
    id: String(id),
    fusion: Math.fround((score * (RRF_K + 1)) / 2),
  }));
}

interface Answer {
  id: string;
  score: number;
}

/** Of the graph, wide enough that what it misses does not show. */
function breadth(limit: number): number {
  return Math.max(128, limit * 2);
}

/** One half alone: its scores stretched to 0..1, as SQLite's are. */
function stretched(scored: readonly Scored[]): Hit[] {
  const least = scored.at(-1)?.[1] ?? 0;
  const span = (scored[0]?.[1] ?? 0) - least;
  return scored.map(([id, score]) => ({ id, fusion: span > 0 ? (score - least) / span : 1 }));
}
