/** Where tests keep indexes: a folder of SQLite files, or a running engine. */
import { join } from 'node:path';
import { tempFolder } from './fixtures.ts';
import { startMilvus } from './milvus.ts';

export interface Place {
  /** The name of an index that is not there yet. */
  fresh(): string;
  /** Until readers have seen what was published. */
  settle(): Promise<void>;
  /** Files of a run that a test kills, and the moments at which it does. */
  kills: { files: number; afterMs: readonly number[] };
  close(): Promise<void>;
}

export async function sqlitePlace(): Promise<Place> {
  const folder = tempFolder();
  let names = 0;
  return {
    fresh: () => join(folder.root, `${++names}.db`),
    settle: async () => undefined,
    kills: { files: 400, afterMs: [0, 60, 120, 240] },
    close: async () => folder.remove(),
  };
}

export async function milvusPlace(): Promise<Place> {
  const milvus = await startMilvus();
  return {
    fresh: milvus.fresh,
    // Readers look where the alias points once a second.
    settle: () => new Promise((resolve) => setTimeout(resolve, 1_100)),
    kills: { files: 150, afterMs: [300, 3_000] },
    close: milvus.stop,
  };
}
