/** Counts a build, compares it with what was written, and points the alias of readers at it. */
import { CodedError } from '../../../contract.ts';
import type { Meta } from '../index-store.ts';
import { type Building, createAlias, dropAlias } from './building.ts';
import type { Engine } from './client.ts';
import { type Build, buildingAlias, dropBuild } from './collections.ts';
import { rowsOf } from './facts.ts';
import { draftOf } from './rows.ts';
import { wordsOf } from './tokens.ts';
import { fileOf } from './view.ts';
import { createCounter } from './words.ts';

export interface Switching {
  engine: Engine;
  building: Building;
  base: Build | undefined;
  meta: Meta;
}

const PAGE = 500;

/** What the index says of itself from now on. */
export async function switchTo({ engine, building, base, meta }: Switching): Promise<Meta> {
  const { build, facts } = building;
  const counter = createCounter();
  const passages = await countPassages(engine, build, counter.add);
  const files = await countFiles(building);
  if (passages !== files.passages)
    throw new CodedError(
      'internal',
      `The engine has ${passages} passages of ${files.passages} that were written; nothing was published. Run the same command again, with --rebuild if it happens twice.`,
    );
  const counts = { passages: String(passages), files: String(files.files), ...(await counter.save(facts)) };
  const after = { ...meta, ...counts };
  await facts.put(new Map([['meta', JSON.stringify(after)]]));
  await engine.run((client) => client.flushSync({ collection_names: [build.passages, build.facts] }));
  await pointAt(engine, building);
  // A search that is under way finds it gone, looks where the alias points and begins anew.
  if (base !== undefined) await dropBuild(engine, base);
  return { ...after, generation: build.passages };
}

/** Readers first, then the place of the writer: what a kill in between leaves is found by the next run. */
async function pointAt(engine: Engine, building: Building): Promise<void> {
  const { collection: alias } = engine.address;
  const collection_name = building.build.passages;
  await building.lease.confirm();
  try {
    await engine.run((client) => client.alterAlias({ alias, collection_name }));
  } catch {
    await createAlias(engine, alias, collection_name);
  }
  building.published = true;
  building.lease.stop();
  await dropAlias(engine, buildingAlias(alias));
}

async function countPassages(engine: Engine, build: Build, add: (words: Iterable<string>) => void): Promise<number> {
  let passages = 0;
  const query = {
    collection_name: build.passages,
    key: 'id',
    expr: 'piece == 0',
    output_fields: ['id', 'file', 'passage'],
  };
  for await (const row of rowsOf(engine, query, PAGE)) {
    add(wordsOf(draftOf(row)));
    passages += 1;
  }
  return passages;
}

async function countFiles({ facts }: Building): Promise<{ files: number; passages: number }> {
  let files = 0;
  let passages = 0;
  for await (const [, value] of facts.all('file:')) {
    files += 1;
    passages += fileOf(value).passages;
  }
  return { files, passages };
}
