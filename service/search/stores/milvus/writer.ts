/** The writing side over Milvus: a new build beside the one readers see, and a switch of the alias when it is whole. */
import type { IndexWriter, Meta, SourceFile, Watching, WriterOptions } from '../index-store.ts';
import type { Address } from './address.ts';
import { type Base, baseOf } from './base.ts';
import { type Batch, createBatch } from './batch.ts';
import { type Building, openBuilding } from './building.ts';
import { type Engine, openEngine } from './client.ts';
import { type Build, targetOf } from './collections.ts';
import { copyFiles } from './copy.ts';
import { isMissing } from './failure.ts';
import { switchTo } from './publish.ts';
import { draftsOf, keyOf } from './rows.ts';

export async function openMilvusWriter(address: Address, options: WriterOptions): Promise<IndexWriter> {
  const engine = await openEngine(address);
  try {
    return await createWriter(engine, options);
  } catch (error) {
    engine.close();
    throw error;
  }
}

interface Parts {
  engine: Engine;
  options: WriterOptions;
  /** What readers see; undefined while there is no index. */
  base: Build | undefined;
  before: Meta;
  published: Map<string, string>;
  building: Building;
  batch: Batch;
  /** Files of the base that need nothing but to be taken along, by key. */
  copied: Set<string>;
  watching: Watching;
  /** What a publish has put in the place of `before`. */
  after: Meta | undefined;
}

/** Looks again when another writer has published, and dropped what it replaced, since the look before. */
async function createWriter(engine: Engine, options: WriterOptions): Promise<IndexWriter> {
  const { collection } = engine.address;
  const target = await targetOf(engine, collection);
  try {
    const base = await baseOf(engine, target);
    const writer = await writerOver(engine, options, { target, base });
    if (writer !== undefined) return writer;
  } catch (error) {
    if (!isMissing(error) || (await targetOf(engine, collection)) === target) throw error;
  }
  return createWriter(engine, options);
}

/** Undefined when the index is another one by the time that the writer's place is ours. */
async function writerOver(
  engine: Engine,
  options: WriterOptions,
  { target, base: found }: { target: string | undefined; base: Base | undefined },
): Promise<IndexWriter | undefined> {
  const base = found?.build;
  const before: Meta = found?.meta ?? { generation: '0' };
  options.check(before);
  const building = await openBuilding(engine, base, options);
  const now = await targetOf(engine, engine.address.collection).catch(async (error: unknown) => {
    await building.leave(true).catch(() => undefined);
    throw error;
  });
  if (now !== target) {
    await building.leave(building.staged.size > 0 || now === building.build.passages);
    return undefined;
  }
  const published = found?.published ?? new Map<string, string>();
  const parts: Parts = {
    engine,
    options,
    base,
    before,
    published,
    building,
    batch: batchOf(engine, building, options, { base, before }),
    copied: new Set(),
    watching: {},
    after: undefined,
  };
  takeOver(parts);
  return writerOf(parts);
}

function batchOf(
  engine: Engine,
  building: Building,
  { embedder }: WriterOptions,
  { base, before }: { base: Build | undefined; before: Meta },
): Batch {
  const same = embedder !== null && before.embedder === embedder.fingerprint;
  return createBatch({
    engine,
    collection: building.build.passages,
    facts: building.facts,
    embedder,
    known: same ? base?.passages : undefined,
  });
}

/** What an interrupted run has copied is no change; `staged` names changes alone. */
function takeOver({ building, published, copied, options }: Parts): void {
  for (const [source, hash] of building.staged) {
    if (options.rebuild || published.get(source) !== hash) continue;
    copied.add(keyOf(source));
    building.staged.delete(source);
  }
}

function writerOf(parts: Parts): IndexWriter {
  const { published, building, engine, batch, copied } = parts;
  const { staged } = building;
  return {
    name: engine.address.name,
    published,
    staged,
    meta: async () => parts.after ?? parts.before,
    stage: (file) => stage(parts, file),
    async unstage(keep) {
      for (const source of [...staged.keys()].filter((name) => !keep.has(name))) {
        await building.remove([keyOf(source)]);
        staged.delete(source);
      }
    },
    async embed(watching) {
      parts.watching = watching;
      await batch.flush();
      // The base has no vectors of this embedder: every file that stays is written anew, with them.
      if (needsVectors(parts)) await takeAlong(parts);
      return batch.embedded();
    },
    publish: (keep, facts) => publish(parts, keep, facts),
    async close() {
      try {
        await building.leave(staged.size > 0 || copied.size > 0);
      } finally {
        engine.close();
      }
    },
  };
}

async function stage({ building, batch, copied }: Parts, { source, hash, title, chunks }: SourceFile): Promise<void> {
  const key = keyOf(source);
  if (building.staged.has(source) || copied.delete(key)) await building.remove([key]);
  const place = chunks.find((chunk) => chunk.place?.url !== undefined)?.place;
  await batch.add(
    { source, hash, title, place: place === undefined ? null : JSON.stringify(place) },
    draftsOf({ source, title, chunks }),
  );
  building.staged.set(source, hash);
}

function needsVectors({ options: { embedder }, before, base }: Parts): boolean {
  return base !== undefined && embedder !== null && before.embedder !== embedder.fingerprint;
}

/** Brings the files that did not change into the new build. `keep` is not known before all were seen: what is gone is dropped at the end. */
async function takeAlong(parts: Parts): Promise<void> {
  const { base, building, published, copied, engine, batch, watching } = parts;
  if (base === undefined) return;
  const wanted = [...published.keys()].filter((source) => !building.staged.has(source)).map(keyOf);
  const missing = new Set(wanted.filter((key) => !copied.has(key)));
  const anew = needsVectors(parts);
  await copyFiles({
    engine,
    from: base,
    to: building,
    wanted: missing,
    vectors: !anew && parts.options.embedder !== null,
    batch: anew ? batch : undefined,
    watching,
  });
  for (const key of missing) copied.add(key);
}

async function publish(parts: Parts, keep: ReadonlySet<string>, facts: Meta): Promise<number> {
  const { building, published, copied, engine, base, before, options } = parts;
  const gone = [...published.keys()].filter((source) => !keep.has(source));
  for (const source of gone) published.delete(source);
  await takeAlong(parts);
  const unwanted = gone.map(keyOf).filter((key) => copied.delete(key));
  await building.remove(unwanted);
  await building.lease.confirm();
  parts.after = await switchTo({ engine, building, base, meta: { ...kept(before, options.rebuild), ...facts } });
  building.staged.clear();
  copied.clear();
  return gone.length;
}

/** What is not said anew stays; a rebuild makes passages anew, for which a gate was not calibrated. */
function kept({ generation: _, ...before }: Meta, rebuild: boolean): Meta {
  return Object.fromEntries(Object.entries(before).filter(([name]) => !rebuild || !name.startsWith('gate_')));
}
