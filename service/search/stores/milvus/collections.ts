/**
 * What an index is in the engine. Readers follow the alias COLLECTION to one build: a collection of passages and, beside
 * it, one of facts (what the index says of itself, its files, how often each word occurs). A build never changes once
 * the alias points at it; the alias COLLECTION_building points at the one that is being made.
 */
import { randomBytes } from 'node:crypto';
import type { Engine } from './client.ts';
import { isMissing } from './failure.ts';

export interface Build {
  passages: string;
  facts: string;
}

export const buildNamed = (passages: string): Build => ({ passages, facts: `${passages}_facts` });
export const buildingAlias = (collection: string) => `${collection}_building`;

/** A name no other build has. */
export function newBuild(collection: string): Build {
  return buildNamed(`${collection}_${Date.now().toString(36)}${randomBytes(SUFFIX / 2).toString('hex')}`);
}

/** Characters at the end of a name that tell two builds of one millisecond apart. */
const SUFFIX = 8;

/** Milliseconds since it was begun, by the clock of the machine that did. */
export function ageOf({ passages }: Build, collection: string): number {
  return Date.now() - Number.parseInt(passages.slice(collection.length + 1, -SUFFIX), 36);
}

/** Every build of an index that the engine holds, whether or not an alias points at it. */
export async function allBuilds({ run }: Engine, collection: string): Promise<Build[]> {
  const { data } = await run((client) => client.showCollections());
  const pattern = new RegExp(`^${collection}_[0-9a-z]{16,18}(?:_facts)?$`);
  const names = data.map(({ name }) => name).filter((name) => pattern.test(name));
  return [...new Set(names.map((name) => name.replace(/_facts$/, '')))].map(buildNamed);
}

/** The collection an alias points at; undefined when there is no such alias. */
export async function targetOf({ run }: Engine, alias: string, ms?: number): Promise<string | undefined> {
  try {
    // The client's types want a collection as well; it is not used.
    const found = await run((client, timeout) => client.describeAlias({ alias, collection_name: alias, timeout }), ms);
    return found.collection;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Creates both collections, empty, indexed and loaded. `dim` 0: without vectors. */
export async function createBuild(engine: Engine, build: Build, dim: number): Promise<void> {
  await createPassages(engine, build.passages, dim);
  await createFacts(engine, build.facts);
  await loadBuild(engine, build);
}

export async function loadBuild({ run }: Engine, build: Build): Promise<void> {
  for (const collection_name of [build.passages, build.facts])
    await run((client) => client.loadCollectionSync({ collection_name }));
}

export async function dropBuild({ run }: Engine, build: Build): Promise<void> {
  for (const collection_name of [build.passages, build.facts]) {
    try {
      await run((client) => client.dropCollection({ collection_name }));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
}

async function createPassages({ run, sdk }: Engine, collection_name: string, dim: number): Promise<void> {
  const { DataType, FunctionType } = sdk;
  const text = (name: string, max_length: number, more: object = {}) => ({
    name,
    data_type: DataType.VarChar,
    max_length,
    ...more,
  });
  await run((client) =>
    client.createCollection({
      collection_name,
      fields: [
        // Key of the file, number of the passage, number of the piece: rows of a file lie together.
        text('id', 64, { is_primary_key: true }),
        text('file', 32),
        { name: 'piece', data_type: DataType.Int64 },
        // Hash of the embedded text.
        text('hash', 64),
        // As JSON, what of a passage no search looks at.
        text('passage', 65_535),
        text('tokens', 65_535, { enable_analyzer: true, analyzer_params: { tokenizer: 'standard' } }),
        { name: 'lexical', data_type: DataType.SparseFloatVector },
        ...(dim === 0 ? [] : [{ name: 'dense', data_type: DataType.FloatVector, dim }]),
      ],
      functions: [
        {
          name: 'bm25',
          type: FunctionType.BM25,
          input_field_names: ['tokens'],
          output_field_names: ['lexical'],
          params: {},
        },
      ],
    }),
  );
  await run((client) =>
    client.createIndex([
      {
        collection_name,
        field_name: 'lexical',
        index_type: 'SPARSE_INVERTED_INDEX',
        metric_type: 'BM25',
        // As FTS5 has them.
        params: { bm25_k1: 1.2, bm25_b: 0.75 },
      },
      { collection_name, field_name: 'file', index_type: 'INVERTED' },
      { collection_name, field_name: 'hash', index_type: 'INVERTED' },
      ...(dim === 0
        ? []
        : [
            {
              collection_name,
              field_name: 'dense',
              index_type: 'HNSW',
              metric_type: 'COSINE',
              params: { M: 16, efConstruction: 200 },
            },
          ]),
    ]),
  );
}

async function createFacts({ run, sdk }: Engine, collection_name: string): Promise<void> {
  const { DataType } = sdk;
  await run((client) =>
    client.createCollection({
      collection_name,
      fields: [
        { name: 'key', data_type: DataType.VarChar, max_length: 64, is_primary_key: true },
        { name: 'value', data_type: DataType.VarChar, max_length: 65_535 },
        // The engine wants a vector in every collection.
        { name: 'none', data_type: DataType.FloatVector, dim: 2 },
      ],
    }),
  );
  await run((client) =>
    client.createIndex([{ collection_name, field_name: 'none', index_type: 'FLAT', metric_type: 'L2' }]),
  );
}
