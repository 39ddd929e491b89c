/** What the user's own model file is, for the manifest of a run. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CodedError } from './contract.ts';

export interface ModelFile {
  name: string;
  sha256: string;
}

/** Hashes the file when first asked, once; a file that is not there is said at once. */
export function modelFile(path: string | undefined): () => Promise<ModelFile | null> {
  if (path === undefined) return async () => null;
  if (!existsSync(path)) {
    throw new CodedError('bad_config', `ASKDOCS_LLM_GGUF is ${JSON.stringify(path)}; there is no such file.`);
  }
  let known: Promise<ModelFile> | undefined;
  return () => {
    known ??= hash(path);
    return known;
  };
}

async function hash(path: string): Promise<ModelFile> {
  const sum = createHash('sha256');
  await pipeline(createReadStream(path), sum);
  return { name: basename(path), sha256: sum.digest('hex') };
}
