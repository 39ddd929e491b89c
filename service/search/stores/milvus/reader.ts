/** The reading side over Milvus: the engine searches and fuses, here its answer becomes passages. */
import type { Passage } from '../../../contract.ts';
import { sourceUrl } from '../../place.ts';
import type { Found, IndexReader, ReaderOptions, SourceInfo, Wanted } from '../index-store.ts';
import type { Address } from './address.ts';
import { type Engine, openEngine, SEARCH_MS, within } from './client.ts';
import { list, type Row } from './facts.ts';
import { isRefused } from './failure.ts';
import { passageOf, type Scores } from './rows.ts';
import { asVector, type Hit, type Ranking, rank } from './search.ts';
import { createView, fileOf, type State, type View } from './view.ts';

export async function openMilvusReader(address: Address, { dense }: ReaderOptions): Promise<IndexReader> {
  const engine = await openEngine(address);
  const view = createView(engine);
  return {
    name: address.name,
    remote: true,
    meta: async () => (await view.state()).meta,
    prepare: async () => undefined,
    search: (wanted) =>
      within(SEARCH_MS, address, () =>
        follow(view, (state) => search(engine, state, dense ? wanted : { ...wanted, vector: undefined })),
      ),
    sources: () => follow(view, (state) => listSources(state)),
    close: () => engine.close(),
  };
}

/** Once more when the build was dropped or unloaded under the search: the alias points at another one by now. */
async function follow<T>(view: View, work: (state: State) => Promise<T>): Promise<T> {
  const state = await view.state();
  try {
    return await work(state);
  } catch (error) {
    if (!isRefused(error)) throw error;
    return work(await view.reload());
  }
}

async function search(engine: Engine, state: State, wanted: Wanted): Promise<Found> {
  const { query, mode, count, check } = wanted;
  const { meta } = state;
  check(meta);
  const dense = wanted.vector !== undefined && Boolean(meta.embedder);
  const tokens = query.words.flatMap((word) => word.tokens);
  const from = performance.now();
  const [ranking, frequencies] = await Promise.all([
    rank(engine, state.build.passages, {
      tokens: mode === 'dense' ? [] : tokens,
      vector: dense ? wanted.vector : undefined,
      pool: wanted.pool,
      // More than are wanted, for some may be the same text, or other pieces of the same passage.
      limit: count * 2 + 10,
    }),
    state.frequencies.of(tokens, SEARCH_MS),
  ]);
  const passages = await load(engine, state, { ranking, vector: dense ? wanted.vector : undefined, count });
  const total = Number(meta.passages);
  const took = performance.now() - from;
  return {
    meta,
    passages,
    cosine: ranking.nearest,
    dense,
    idf: (token) => {
      const df = Math.min(frequencies.get(token) ?? 0, total);
      return Math.log(1 + (total - df + 0.5) / (df + 0.5));
    },
    // One request for both halves.
    ms: dense && mode !== 'lexical' ? { lexical: 0, dense: took } : { lexical: took, dense: 0 },
  };
}

interface Loading {
  ranking: Ranking;
  vector: Float32Array | undefined;
  count: number;
}

/** At most `count` passages in the order of the ranking, the same text once only. */
async function load(engine: Engine, state: State, { ranking, vector, count }: Loading): Promise<Passage[]> {
  const { hits } = ranking;
  if (hits.length === 0) return [];
  const rows = await rowsById(engine, state, hits, vector !== undefined);
  const found = new Map<string, Passage>();
  for (const hit of hits) {
    const row = rows.get(hit.id);
    if (row === undefined) continue;
    const scores = scoresOf(hit, row, ranking, vector);
    const passage = passageOf(row, scores, state.meta.base_url);
    const text = passage.text.replace(/\s+/g, ' ').trim();
    const same = found.get(text);
    // Of several pieces the best counts.
    if (same !== undefined) same.cosine = best(same.cosine, scores.cosine);
    else if (found.size < count) found.set(text, passage);
  }
  return [...found.values()];
}

async function rowsById({ run }: Engine, { build }: State, hits: Hit[], vectors: boolean): Promise<Map<string, Row>> {
  const { data } = await run(
    (client, timeout) =>
      client.query({
        collection_name: build.passages,
        timeout,
        expr: `id in ${list(hits.map(({ id }) => id))}`,
        output_fields: ['id', 'passage', ...(vectors ? ['dense'] : [])],
      }),
    SEARCH_MS,
  );
  return new Map((data as Row[]).map((row) => [String(row.id), row]));
}

function scoresOf({ id, fusion }: Hit, row: Row, { bm25 }: Ranking, vector: Float32Array | undefined): Scores {
  const cosine = vector === undefined ? null : dot(vector, asVector(row.dense));
  return { cosine, bm25: bm25.get(id) ?? null, fusion };
}

function dot(a: Float32Array, b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

function best(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

async function listSources({ facts, meta }: State): Promise<SourceInfo[]> {
  const sources: SourceInfo[] = [];
  for await (const [, value] of facts.all('file:')) {
    const { source, title, passages, place } = fileOf(value);
    sources.push({ source, title, passages, ...sourceUrl(source, place, meta.base_url) });
  }
  return sources.sort((a, b) => (a.source < b.source ? -1 : 1));
}
