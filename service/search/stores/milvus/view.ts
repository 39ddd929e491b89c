/** What readers see of an index now: the build that its alias points at, looked up at most once a second. */
import { CodedError } from '../../../contract.ts';
import type { Meta } from '../index-store.ts';
import { type Engine, SEARCH_MS } from './client.ts';
import { type Build, buildNamed, loadBuild, targetOf } from './collections.ts';
import { type Facts, factsIn } from './facts.ts';
import { isMissing, isRefused } from './failure.ts';
import { createFrequencies, type Frequencies } from './words.ts';

export interface State {
  build: Build;
  meta: Meta;
  facts: Facts;
  frequencies: Frequencies;
}

export interface View {
  /** Throws `not_found` while there is no index. */
  state(): Promise<State>;
  /** Looks anew and loads the build into the engine's memory. */
  reload(): Promise<State>;
}

/** A file among the facts of a build. */
export interface FileFact {
  source: string;
  hash: string;
  title: string;
  passages: number;
  /** False while its passages are being written. */
  whole: boolean;
  /** Of a passage that names its own page. */
  place: string | null;
}

export const fileOf = (value: string) => JSON.parse(value) as FileFact;

/** A published index is seen this much later at most. */
const REFRESH_MS = 1_000;

export function createView(engine: Engine): View {
  let known: State | undefined;
  let looked = Number.NEGATIVE_INFINITY;
  let looking: Promise<State> | undefined;
  const look = (load: boolean) => {
    looking ??= lookUp(engine, known, load)
      .catch((error: unknown) => {
        // An engine that was started anew has loaded nothing; what is not loaded, it refuses to read.
        if (load || !isRefused(error)) throw error;
        return lookUp(engine, known, true);
      })
      .catch((error: unknown) => {
        // The alias points at what somebody has dropped by hand.
        throw isMissing(error) ? noIndex(engine.address.name, error) : error;
      })
      .then((state) => {
        known = state;
        looked = performance.now();
        return state;
      })
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };
  return {
    state: async () => (known !== undefined && performance.now() - looked < REFRESH_MS ? known : look(false)),
    reload: () => look(true),
  };
}

const noIndex = (name: string, cause?: unknown) =>
  new CodedError('not_found', `There is no index ${name}; make one with askdocs index PATH --store ${name}`, { cause });

async function lookUp(engine: Engine, known: State | undefined, load: boolean): Promise<State> {
  const { collection, name } = engine.address;
  const target = await targetOf(engine, collection, SEARCH_MS);
  if (target === undefined) throw noIndex(name);
  const build = buildNamed(target);
  const same = known?.build.passages === target;
  if (load || !same) await loadBuild(engine, build);
  const facts = factsIn(engine, build.facts);
  const meta = await metaOf(facts, target);
  // The words of a build never change; what it says of itself may: a calibrated gate.
  if (same && known !== undefined) return { ...known, meta };
  return { build, meta, facts, frequencies: createFrequencies(facts, Number(meta.word_pages ?? 1)) };
}

/** The name of the build is the generation: no two are the same. */
export async function metaOf(facts: Facts, build: string): Promise<Meta> {
  const value = (await facts.get(['meta'], SEARCH_MS)).get('meta');
  return { ...(JSON.parse(value ?? '{}') as Record<string, string>), generation: build };
}
