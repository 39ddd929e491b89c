/**
 * Gathers passages until a request is worth it, gives them vectors and writes them. A file is marked as begun before its
 * first row and as whole after its last, so that a killed run leaves nothing that passes for more than it is.
 */
import { CodedError } from '../../../contract.ts';
import type { Embedder } from '../../embed/embedder.ts';
import { piecesOf } from '../../pieces.ts';
import type { Engine } from './client.ts';
import { type Facts, list, type Row } from './facts.ts';
import { type Draft, keyOf, rowOf } from './rows.ts';
import { asVector } from './search.ts';
import type { FileFact } from './view.ts';

export interface Batch {
  add(file: Omit<FileFact, 'whole' | 'passages'>, drafts: readonly Draft[]): Promise<void>;
  /** Writes what has gathered. */
  flush(): Promise<void>;
  /** Texts embedded so far. */
  embedded(): number;
}

export interface BatchOptions {
  engine: Engine;
  /** Where rows go. */
  collection: string;
  facts: Facts;
  embedder: Embedder | null;
  /** Collection whose vectors of this embedder are taken over. */
  known: string | undefined;
}

/** Pieces written together: about two seconds of work for the local embedder. */
const GROUP = 64;

interface Pending {
  draft: Draft;
  ord: number;
  hash: string;
  text: string;
}

export function createBatch(options: BatchOptions): Batch {
  const { facts, embedder } = options;
  let files: FileFact[] = [];
  let pending: Pending[] = [];
  let embedded = 0;
  const write = async () => {
    for (; pending.length > 0; pending = pending.slice(GROUP))
      embedded += await writeRows(options, pending.slice(0, GROUP));
  };
  const flush = async () => {
    await facts.put(markers(files, false));
    await write();
    await facts.put(markers(files, true));
    files = [];
  };
  return {
    embedded: () => embedded,
    flush,
    async add(file, drafts) {
      files.push({ ...file, passages: drafts.length, whole: false });
      pending.push(...drafts.flatMap((draft) => pendingOf(draft, embedder)));
      if (pending.length >= GROUP || files.length >= GROUP * 4) await flush();
    },
  };
}

/** What the facts of a build say of files. */
export function markers(files: readonly FileFact[], whole: boolean): Map<string, string> {
  return new Map(files.map((file) => [`file:${keyOf(file.source)}`, JSON.stringify({ ...file, whole })]));
}

function pendingOf(draft: Draft, embedder: Embedder | null): Pending[] {
  if (embedder === null) return [{ draft, ord: 0, hash: '', text: '' }];
  return piecesOf(embedder, draft).map((piece, ord) => ({ draft, ord, ...piece }));
}

async function writeRows(options: BatchOptions, group: readonly Pending[]): Promise<number> {
  const { engine, collection, embedder } = options;
  const { vectors, fresh } =
    embedder === null ? { vectors: new Map(), fresh: 0 } : await vectorsOf(options, embedder, group);
  const data = group.map(({ draft, ord, hash }) => rowOf(draft, { ord, hash, vector: vectors.get(hash) }));
  await upsert(engine, collection, data);
  return fresh;
}

/** Vectors by hash: those the published index has, and the rest from the embedder. */
async function vectorsOf(options: BatchOptions, embedder: Embedder, group: readonly Pending[]) {
  const texts = new Map(group.map(({ hash, text }) => [hash, text]));
  const vectors = await knownVectors(options, [...texts.keys()]);
  const missing = [...texts].filter(([hash]) => !vectors.has(hash));
  const made = missing.length === 0 ? [] : await embedder.embedPassages(missing.map(([, text]) => text));
  missing.forEach(([hash], at) => {
    vectors.set(hash, [...(made[at] ?? [])]);
  });
  return { vectors, fresh: missing.length };
}

async function knownVectors(
  { engine, known }: BatchOptions,
  hashes: string[],
): Promise<Map<string, readonly number[]>> {
  if (known === undefined) return new Map();
  const { data } = await engine.run((client) =>
    client.query({ collection_name: known, expr: `hash in ${list(hashes)}`, output_fields: ['hash', 'dense'] }),
  );
  return new Map((data as Row[]).map(({ hash, dense }) => [String(hash), asVector(dense)]));
}

/** Every row once only, also when a request has to be repeated: its key says which passage it is. */
export async function upsert({ run }: Engine, collection_name: string, data: readonly Row[]): Promise<void> {
  if (data.length === 0) return;
  const { upsert_cnt } = await run((client) => client.upsert({ collection_name, data: [...data] as never }));
  if (Number(upsert_cnt) !== data.length)
    throw new CodedError('internal', `The engine took ${upsert_cnt} of ${data.length} rows; nothing was published.`);
}
