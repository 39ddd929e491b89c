/**
 * The local embedder. A question is embedded on the thread it comes in. Passages go to threads of their own, one to each
 * core: a run of the model occupies the thread it is called from, and two sessions of one thread do more than one of two.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CodedError } from '../../contract.ts';
import { type Embedder, splitToFit } from './embedder.ts';
import { traitsOf } from './models.ts';
import { loadOnnx } from './onnx-model.ts';
import type { Task } from './onnx-worker.ts';
import { createWorkers } from './workers.ts';

const WORKER = fileURLToPath(new URL('./onnx-worker.js', import.meta.url));
/** So few passages are embedded here sooner than threads for them have started. */
const FEW = 16;
const MAX_WORKERS = 4;
/** Each thread holds the model once. */
const MAX_BYTES = 1024 * 1024 * 1024;

export async function openOnnx(folder: string): Promise<Embedder> {
  const { query, passage, window, multilingual } = traitsOf(basename(folder));
  const model = await loadOnnx({ folder, threads: 1, window });
  const { workers: count, threads } = shareOut(availableParallelism(), statSync(join(folder, 'model.onnx')).size);
  const workers = createWorkers<Task, Float32Array>({ file: WORKER, name: 'embed', threads: count });
  const inThreads = (texts: string[]) =>
    workers.run(texts.map((text) => ({ model: { folder, threads, window }, text }))).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new CodedError('unavailable', `The embedder ${basename(folder)} stopped: ${reason}`, { cause });
    });
  return {
    name: basename(folder),
    fingerprint: `onnx:${hashOf(folder)}`,
    dimensions: (await model.embed('x')).length,
    multilingual,
    pieces: (text) => splitToFit(text, (piece) => model.fits(passage + piece)),
    embedPassages: async (texts) => {
      const all = texts.map((text) => passage + text);
      if (all.length > FEW || workers.size() > 0) return inThreads(all);
      const vectors: Float32Array[] = [];
      for (const text of all) vectors.push(await model.embed(text));
      return vectors;
    },
    embedQuery: (text) => model.embed(query + text),
  };
}

/** A session to each core; of a large model fewer sessions, which then have more threads each. */
export function shareOut(cores: number, modelBytes: number): { workers: number; threads: number } {
  const workers = Math.max(1, Math.min(cores, MAX_WORKERS, Math.floor(MAX_BYTES / modelBytes)));
  return { workers, threads: Math.max(1, Math.floor(cores / workers)) };
}

function hashOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of ['model.onnx', 'tokenizer.json']) hash.update(readFileSync(join(folder, name)));
  return hash.digest('hex');
}
