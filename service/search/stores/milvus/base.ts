/** The published index that a writer starts from. */
import type { Meta } from '../index-store.ts';
import type { Engine } from './client.ts';
import { type Build, buildNamed, loadBuild, targetOf } from './collections.ts';
import { factsIn } from './facts.ts';
import { isMissing } from './failure.ts';
import { fileOf, metaOf } from './view.ts';

export interface Base {
  build: Build;
  meta: Meta;
  /** Hash of each source. */
  published: Map<string, string>;
}

/** Undefined without an index, or when the alias points at what somebody has dropped by hand. */
export async function baseOf(engine: Engine, target: string | undefined): Promise<Base | undefined> {
  if (target === undefined) return undefined;
  const build = buildNamed(target);
  try {
    // An engine that was started anew has loaded nothing.
    await loadBuild(engine, build);
    const meta = await metaOf(factsIn(engine, build.facts), build.passages);
    return { build, meta, published: await hashesOf(engine, build) };
  } catch (error) {
    if (!isMissing(error) || (await targetOf(engine, engine.address.collection)) !== target) throw error;
    return undefined;
  }
}

async function hashesOf(engine: Engine, build: Build): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for await (const [, value] of factsIn(engine, build.facts).all('file:')) {
    const { source, hash } = fileOf(value);
    hashes.set(source, hash);
  }
  return hashes;
}
