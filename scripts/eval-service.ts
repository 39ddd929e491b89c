/** The service an evaluation asks: the one at --url, or one started for it and stopped after it. */
import { existsSync } from 'node:fs';
import { loadConfig } from '../service/config.ts';
import { CodedError, healthSchema, readySchema } from '../service/contract.ts';
import { createLogger } from '../service/log.ts';
import { isMilvus } from '../service/search/stores/milvus/address.ts';
import { startService } from '../service/serve.ts';
import { readEnvironment } from './environment.ts';
import { type LlamaServer, startLlama } from './llama-phase.ts';

export interface EvalService {
  url: string;
  /** The index it answers from; null for a service of somebody else. */
  db: string | null;
  close(): Promise<void>;
}

export interface ServiceArgs {
  url?: string | undefined;
  /** What is spoken at `url`. */
  api?: string | undefined;
  db?: string | undefined;
  answerGguf?: string | undefined;
  slots: number;
  runs: number;
}

export async function serviceFor(args: ServiceArgs, signal: AbortSignal): Promise<EvalService> {
  if (args.url !== undefined) return serviceAt(checkedUrl(args.url), args, signal);
  const environment = readEnvironment();
  const db = args.db ?? environment.ASKDOCS_MCP_DB ?? 'data/docs.db';
  if (!isMilvus(db) && !existsSync(db))
    throw new CodedError('bad_input', `there is no index at ${db}; make one with askdocs index PATH --db ${db}`);
  const llama = args.answerGguf === undefined ? null : await startLlama(args.answerGguf, args.slots, signal);
  try {
    const settings = {
      ...environment,
      ...settingsFor(llama, args),
      ASKDOCS_MCP_DB: db,
      ASKDOCS_HOST: '127.0.0.1',
      ASKDOCS_PORT: '0',
    };
    // One line an answer would drown the progress; what goes wrong is said.
    const service = await startService(loadConfig(settings), { log: { ...createLogger(process.stderr), info() {} } });
    await refuseUnlessReady(service.url, signal).catch((error: unknown) =>
      service.close().then(() => Promise.reject(error)),
    );
    return { url: service.url, db, close: () => service.close().finally(() => llama?.stop()) };
  } catch (error) {
    await llama?.stop();
    throw error;
  }
}

/** A service of somebody else: asked as it is, unless it says that it cannot answer. */
async function serviceAt(url: string, { api = 'askdocs' }: ServiceArgs, signal: AbortSignal): Promise<EvalService> {
  if (api === 'askdocs') {
    for (const note of await refuseUnlessReady(url, signal))
      process.stderr.write(`The service at ${url} says: ${note}\n`);
  }
  return { url, db: null, close: async () => {} };
}

/**
 * Asking every case of a service that cannot answer takes minutes and measures nothing. Returns what it says works less
 * well than it could (the manifest keeps how it searches). A service that has no such paths is asked as it is.
 */
async function refuseUnlessReady(url: string, signal: AbortSignal): Promise<string[]> {
  const base = url.replace(/\/+$/, '');
  const read = (path: string) =>
    fetch(base + path, { signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]) })
      .then((response) => response.json())
      .catch(() => undefined);
  // First, for it looks anew.
  const ready = readySchema.safeParse(await read('/readyz'));
  const health = healthSchema.safeParse(await read('/healthz'));
  signal.throwIfAborted();
  const notes = health.data?.notes ?? [];
  if (ready.data?.ready !== false && health.data?.status !== 'degraded') return notes;
  const why = notes.length > 0 ? notes : (ready.data?.problems ?? []);
  throw new CodedError('unavailable', `The service cannot answer, so nothing was asked. ${why.join(' ')}`);
}

function settingsFor(llama: LlamaServer | null, { answerGguf, runs }: ServiceArgs): Record<string, string> {
  // A cached prompt gives back a copy of the first answer: repetitions would measure nothing.
  const repeated: Record<string, string> = runs > 1 ? { ASKDOCS_LLM_CACHE_PROMPT: 'false' } : {};
  if (llama === null) return repeated;
  return {
    ...repeated,
    ASKDOCS_LLM_PROVIDER: 'llamacpp',
    ASKDOCS_LLM_BASE_URL: llama.baseUrl,
    ASKDOCS_LLM_MODEL: llama.model,
    ASKDOCS_MAX_CONCURRENT: String(llama.slots),
    ...(answerGguf === undefined || answerGguf === 'tiny' ? {} : { ASKDOCS_LLM_GGUF: answerGguf }),
  };
}

function checkedUrl(url: string): string {
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new CodedError('bad_input', `--url takes an http address, not "${url}"`);
  }
  return url;
}
