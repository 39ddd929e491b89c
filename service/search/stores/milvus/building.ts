/** The build being made: found again where a run before was interrupted, begun otherwise. */
import type { WriterOptions } from '../index-store.ts';
import type { Engine } from './client.ts';
import {
  ageOf,
  allBuilds,
  type Build,
  buildingAlias,
  buildNamed,
  createBuild,
  dropBuild,
  loadBuild,
  newBuild,
  targetOf,
} from './collections.ts';
import { type Facts, factsIn, list } from './facts.ts';
import { isMissing, isTaken } from './failure.ts';
import { busy, type Lease, takeLease } from './lease.ts';
import { fileOf } from './view.ts';

export interface Building {
  build: Build;
  facts: Facts;
  lease: Lease;
  /** Hash of each source whose passages are all there. */
  staged: Map<string, string>;
  /** Forgets files by their keys, with all their rows. */
  remove(files: readonly string[]): Promise<void>;
  /** Gives the build up; kept for the next run, or dropped. After a switch of the alias there is nothing to do. */
  leave(keep: boolean): Promise<void>;
  /** The alias of readers points at it now. */
  published: boolean;
}

/** Options undefined: any build will do, for only the place of the writer is wanted. Throws `busy` while another writes. */
export async function openBuilding(
  engine: Engine,
  base: Build | undefined,
  options: WriterOptions | undefined,
): Promise<Building> {
  const { collection } = engine.address;
  const tag = options === undefined ? undefined : tagOf(options);
  const target = await targetOf(engine, buildingAlias(collection));
  // A run that was killed right after the switch has left the second alias behind.
  const stale = target !== undefined && target === base?.passages;
  if (target !== undefined && !stale) {
    const found = await resume(engine, buildNamed(target), tag);
    if (found !== undefined) return found;
  }
  if (stale) await dropAlias(engine, buildingAlias(collection));
  const building = await begin(engine, options);
  // What is left over takes room and no more: where the engine would not drop it now, the next run does.
  await sweep(engine, [base?.passages, building.build.passages]).catch(() => undefined);
  return building;
}

async function begin(engine: Engine, options: WriterOptions | undefined): Promise<Building> {
  const build = newBuild(engine.address.collection);
  try {
    await createBuild(engine, build, options?.embedder?.dimensions ?? 0);
    const lease = await takeLease(engine, build.facts, { fresh: true });
    try {
      await factsIn(engine, build.facts).put(new Map([['tag', options === undefined ? '' : tagOf(options)]]));
      await createAlias(engine, buildingAlias(engine.address.collection), build.passages);
    } catch (error) {
      lease.stop();
      throw error;
    }
    return buildingOf(engine, build, lease, new Map());
  } catch (error) {
    await dropBuild(engine, build).catch(() => undefined);
    // Another one was quicker, or has swept away what it took for left over.
    const other = isTaken(error) || isMissing(error) || (await isBuilding(engine));
    throw other ? busy(engine.address.name) : error;
  }
}

async function isBuilding(engine: Engine): Promise<boolean> {
  return targetOf(engine, buildingAlias(engine.address.collection)).then(
    (target) => target !== undefined,
    () => false,
  );
}

/** Undefined when it was made for something else: then it is gone. */
async function resume(engine: Engine, build: Build, tag: string | undefined): Promise<Building | undefined> {
  await loadBuild(engine, build);
  const lease = await takeLease(engine, build.facts, { fresh: false });
  try {
    return await resumeUnder(engine, build, { lease, tag });
  } catch (error) {
    await lease.release().catch(() => undefined);
    throw error;
  }
}

async function resumeUnder(
  engine: Engine,
  build: Build,
  { lease, tag }: { lease: Lease; tag: string | undefined },
): Promise<Building | undefined> {
  const facts = factsIn(engine, build.facts);
  if (tag !== undefined && (await facts.get(['tag'])).get('tag') !== tag) {
    lease.stop();
    await dropAlias(engine, buildingAlias(engine.address.collection));
    await dropBuild(engine, build);
    return undefined;
  }
  const staged = new Map<string, string>();
  const begun: string[] = [];
  for await (const [key, value] of facts.all('file:')) {
    const { source, hash, whole } = fileOf(value);
    if (whole) staged.set(source, hash);
    else begun.push(key.slice('file:'.length));
  }
  const building = buildingOf(engine, build, lease, staged);
  await building.remove(begun);
  return building;
}

function buildingOf(engine: Engine, build: Build, lease: Lease, staged: Map<string, string>): Building {
  const facts = factsIn(engine, build.facts);
  const building: Building = {
    build,
    facts,
    lease,
    staged,
    published: false,
    async remove(files) {
      // The mark first: rows without one are not counted as a file.
      await facts.remove(files.map((file) => `file:${file}`));
      for (let at = 0; at < files.length; at += FILES_AT_ONCE) {
        const filter = `file in ${list(files.slice(at, at + FILES_AT_ONCE))}`;
        await engine.run((client) => client.delete({ collection_name: build.passages, filter }));
      }
    },
    async leave(keep) {
      if (building.published) return;
      if (keep) return lease.release();
      lease.stop();
      await lease.confirm();
      await dropAlias(engine, buildingAlias(engine.address.collection));
      await dropBuild(engine, build);
    },
  };
  return building;
}

const FILES_AT_ONCE = 200;
/** Making two collections and the alias takes a run this long at most. */
const BEGINNING_MS = 60_000;

/** What decides whether passages of another run are of use. */
function tagOf({ staging, embedder, rebuild }: WriterOptions): string {
  return JSON.stringify({ staging, embedder: embedder?.fingerprint ?? '', dim: embedder?.dimensions ?? 0, rebuild });
}

/** Builds no alias points at: of runs that were killed between two steps. One that was just begun may be another's. */
async function sweep(engine: Engine, used: readonly (string | undefined)[]): Promise<void> {
  const { collection } = engine.address;
  const old = (await allBuilds(engine, collection)).filter((build) => ageOf(build, collection) > BEGINNING_MS);
  // Looked up after the list: whoever had the place before may have published since `base` was.
  const kept = [...used, await targetOf(engine, collection)];
  for (const build of old) if (!kept.includes(build.passages)) await dropBuild(engine, build);
}

export async function createAlias({ run }: Engine, alias: string, collection_name: string): Promise<void> {
  await run((client) => client.createAlias({ alias, collection_name }));
}

export async function dropAlias({ run }: Engine, alias: string): Promise<void> {
  try {
    await run((client) => client.dropAlias({ alias }));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
