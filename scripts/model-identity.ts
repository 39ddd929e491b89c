/** Which model answers at an address, as far as its server tells: a name alone does not say that the weights are the same. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { basename } from 'node:path';
import { z } from 'zod';

export type ModelIdentity = Record<string, string | number>;

const TIMEOUT_MS = 5000;
const propsSchema = z.object({ model_path: z.string().min(1) });
const modelsSchema = z.object({
  data: z.array(z.object({ meta: z.object({ n_params: z.number(), size: z.number() }).partial().nullish() })).min(1),
});

/**
 * The file's name, and its SHA-256 where the server was started here; of a server elsewhere its name with the number of parameters and of
 * bytes, which llama.cpp tells. Empty for a server that tells nothing, and for one that is not there: asking it fails later, with its reason.
 */
export async function modelIdentity(baseUrl: string, options: { isOurs: boolean }): Promise<ModelIdentity> {
  const root = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
  const props = propsSchema.safeParse(await getJson(`${root}/props`));
  if (!props.success) return {};
  const path = props.data.model_path;
  const file = basename(path.replaceAll('\\', '/'));
  if (options.isOurs && existsSync(path)) return { file, sha256: await sha256Of(path) };
  const models = modelsSchema.safeParse(await getJson(`${root}/v1/models`));
  const meta = models.success ? (models.data.data[0]?.meta ?? {}) : {};
  const { n_params, size } = meta;
  return { file, ...(n_params === undefined ? {} : { n_params }), ...(size === undefined ? {} : { bytes: size }) };
}

async function getJson(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
