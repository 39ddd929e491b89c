/**
 * Embedders behind HTTP: OpenAI-compatible (`…/v1`, POST /embeddings) and Ollama (POST /api/embed). Batches, a timeout for
 * each request, and retries with growing pauses where another try can help.
 */
import { z } from 'zod';
import { CodedError } from '../../contract.ts';
import { type Embedder, normalized, splitToFit } from './embedder.ts';
import { traitsOf } from './models.ts';

export interface HttpEmbedderOptions {
  url: string;
  model: string;
  apiKey?: string | undefined;
  timeoutMs?: number;
  retries?: number;
  fetch?: typeof fetch;
  /** Pause before a retry. */
  wait?: (ms: number) => Promise<void>;
}

const BATCH = 32;
/** Without the model's tokenizer: a token has rarely fewer than two characters, even in code. */
const CHARS_PER_TOKEN = 2;

const openAiSchema = z.object({ data: z.array(z.object({ index: z.number().int(), embedding: z.array(z.number()) })) });
const ollamaSchema = z.object({ embeddings: z.array(z.array(z.number())) });

export async function openHttp(options: HttpEmbedderOptions): Promise<Embedder> {
  const traits = traitsOf(options.model);
  const endpoint = endpointOf(options.url);
  const embed = (texts: string[]) => request(options, endpoint, texts);
  const [probe] = await embed(['x']);
  return {
    name: options.model,
    fingerprint: `http:${options.model}:${traits.query}:${traits.passage}`,
    dimensions: probe?.length ?? 0,
    multilingual: traits.multilingual,
    pieces: (text) => splitToFit(text, (piece) => piece.length <= traits.window * CHARS_PER_TOKEN),
    embedPassages: async (texts) => {
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += BATCH) {
        vectors.push(...(await embed(texts.slice(from, from + BATCH).map((text) => traits.passage + text))));
      }
      return vectors;
    },
    embedQuery: async (text) => {
      const [vector] = await embed([traits.query + text.slice(0, traits.window * CHARS_PER_TOKEN)]);
      return vector ?? new Float32Array();
    },
  };
}

interface Endpoint {
  url: string;
  kind: 'openai' | 'ollama';
}

function endpointOf(given: string): Endpoint {
  const url = given.replace(/\/+$/, '');
  if (/\/embeddings$/.test(url)) return { url, kind: 'openai' };
  if (/\/api\/embed$/.test(url)) return { url, kind: 'ollama' };
  return /\/v\d+$/.test(url)
    ? { url: `${url}/embeddings`, kind: 'openai' }
    : { url: `${url}/api/embed`, kind: 'ollama' };
}

async function request(options: HttpEmbedderOptions, endpoint: Endpoint, texts: string[]): Promise<Float32Array[]> {
  const { retries = 3, wait = pause } = options;
  for (let attempt = 0; ; attempt++) {
    try {
      return await once(options, endpoint, texts);
    } catch (error) {
      const coded = error instanceof CodedError ? error : failure(endpoint, 'cannot be reached', error);
      if (attempt >= retries || coded.code === 'bad_config') throw coded;
      await wait(250 * 2 ** attempt);
    }
  }
}

async function once(options: HttpEmbedderOptions, endpoint: Endpoint, input: string[]): Promise<Float32Array[]> {
  const { timeoutMs = 30_000, fetch: send = fetch, apiKey, model } = options;
  const response = await send(endpoint.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify({ model, input }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) {
    const said = (await response.text().catch(() => '')).slice(0, 200);
    const final = response.status < 500 && response.status !== 429 && response.status !== 408;
    const message = `The embedder at ${endpoint.url} refused model ${model} with status ${response.status}: ${said}`;
    throw new CodedError(final ? 'bad_config' : 'unavailable', message);
  }
  const vectors = parse(endpoint, await response.json());
  if (vectors.length !== input.length || new Set(vectors.map((vector) => vector.length)).size !== 1) {
    throw failure(endpoint, 'returned another number of vectors than it was given texts', undefined);
  }
  return vectors.map((vector) => normalized(Float32Array.from(vector)));
}

function parse({ kind, url }: Endpoint, body: unknown): number[][] {
  const parsed = kind === 'openai' ? openAiSchema.safeParse(body) : ollamaSchema.safeParse(body);
  if (!parsed.success) throw failure({ kind, url }, 'answered in a form that is not known', parsed.error);
  if ('embeddings' in parsed.data) return parsed.data.embeddings;
  return parsed.data.data.sort((a, b) => a.index - b.index).map(({ embedding }) => embedding);
}

function failure({ url }: Endpoint, what: string, cause: unknown): CodedError {
  return new CodedError('unavailable', `The embedder at ${url} ${what}.`, { cause });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
