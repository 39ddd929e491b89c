/** Which embedder the settings ask for. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CodedError } from '../../contract.ts';
import type { Embedder } from './embedder.ts';
import { openHttp } from './http.ts';
import { openOnnx } from './onnx.ts';

/** Name of the local model that `askdocs models pull` fetches. */
export const DEFAULT_MODEL = 'all-MiniLM-L6-v2-int8';

export interface EmbedSettings {
  /** A name below `models`, a folder, the model's name at `url`, or `none` for no embedder. */
  model?: string | undefined;
  url?: string | undefined;
  apiKey?: string | undefined;
  /** Folder of local models. */
  models?: string | undefined;
}

export interface Opened {
  embedder: Embedder | null;
  /** Why there is none, in one sentence. */
  note: string | null;
}

/** From ASKDOCS_EMBED_MODEL, ASKDOCS_EMBED_URL, ASKDOCS_EMBED_API_KEY and ASKDOCS_MODELS_DIR. */
export function embedSettings(env: Readonly<Record<string, string | undefined>>): EmbedSettings {
  const read = (name: string) => env[name]?.trim() || undefined;
  return {
    model: read('ASKDOCS_EMBED_MODEL'),
    url: read('ASKDOCS_EMBED_URL'),
    apiKey: read('ASKDOCS_EMBED_API_KEY'),
    models: read('ASKDOCS_MODELS_DIR'),
  };
}

/** Opens the embedder. One that was asked for and is not there is an error; the default one may be missing. */
export async function openEmbedder({ model, url, apiKey, models = '.models' }: EmbedSettings): Promise<Opened> {
  if (model === 'none') return { embedder: null, note: 'The embedder is turned off (ASKDOCS_EMBED_MODEL=none).' };
  if (url !== undefined) {
    if (model === undefined)
      throw new CodedError('bad_config', 'ASKDOCS_EMBED_URL needs ASKDOCS_EMBED_MODEL, the name of the model there.');
    return { embedder: await openHttp({ url, model, apiKey }), note: null };
  }
  const folder = localModel({ model, models });
  if (folder !== undefined) return openLocal(folder, model !== undefined);
  if (model === undefined) return { embedder: null, note: 'There is no embedder; fetch one with askdocs models pull.' };
  throw new CodedError(
    'bad_config',
    `There is no embedder ${model} in ${resolve(models)}; fetch it with askdocs models pull, or name a folder.`,
  );
}

async function openLocal(folder: string, wanted: boolean): Promise<Opened> {
  try {
    return { embedder: await openOnnx(folder), note: null };
  } catch (error) {
    if (wanted || !(error instanceof CodedError) || error.code !== 'unavailable') throw error;
    return { embedder: null, note: `The embedder cannot run: ${error.message}` };
  }
}

/** The folder of the model that the settings name, where it is there; none where they name a server. */
export function localModel({ url, model = DEFAULT_MODEL, models = '.models' }: EmbedSettings): string | undefined {
  if (url !== undefined) return undefined;
  return [join(models, model), model].find((folder) => existsSync(join(folder, 'model.onnx')));
}
