/** What the service says about itself: health, readiness, and what a run's manifest needs. */
import { createHash } from 'node:crypto';
import packageJson from '../package.json' with { type: 'json' };
import type { AppDeps } from './app.ts';
import type { Config } from './config.ts';
import type { Health, Info, SearchResponse } from './contract.ts';
import { describeError, messageOf } from './errors.ts';
import type { Provider, ProviderStatus } from './generate/provider.ts';
import type { Logger } from './log.ts';
import { modelFile } from './model-file.ts';
import type { Retriever } from './retrieve/client.ts';

export interface Report extends Pick<AppDeps, 'ready' | 'info'> {
  health: () => Omit<Health, 'in_flight'>;
  /** Starts the retrieval server with a first search, and asks the model's server about itself. Never throws. */
  warmUp(): Promise<void>;
}

export function createReport(config: Config, deps: { retriever: Retriever; provider: Provider; log: Logger }): Report {
  let mode: SearchResponse['mode'] = 'unknown';
  let notes: string[] = [];
  let failed = false;
  const never = new AbortController().signal;
  const file = modelFile(config.llm.gguf);
  const look = async (): Promise<Seen> => {
    const [search, model, stats] = await Promise.allSettled([
      deps.retriever.search('warm up', 1, never),
      deps.provider.status(never),
      deps.retriever.stats(never),
    ]);
    if (search.status === 'fulfilled') mode = search.value.mode;
    const seen = { search, model, why: stats.status === 'fulfilled' ? stats.value.note : undefined };
    notes = notesOf(seen);
    failed = problemsOf(seen).length > 0;
    return seen;
  };
  // Who asks while somebody else does gets the same answer: anybody may ask, and each look costs a search.
  let looking: Promise<Seen> | undefined;
  return {
    async warmUp() {
      const seen = await look();
      for (const result of [seen.search, seen.model]) {
        if (result.status === 'rejected') deps.log.warn('warm-up failed', { cause: describeError(result.reason) });
      }
      for (const note of notes) deps.log.warn(note);
    },
    health: () => ({
      status: failed ? 'degraded' : 'ok',
      max_concurrent: config.maxConcurrent,
      provider: deps.provider.name,
      model: deps.provider.model,
      search: mode,
      notes,
    }),
    async ready() {
      looking ??= look().finally(() => {
        looking = undefined;
      });
      return problemsOf(await looking);
    },
    async info(signal) {
      if (mode === 'unknown') mode = (await deps.retriever.search('warm up', 1, signal)).mode;
      const [stats, status, model_file] = await Promise.all([
        deps.retriever.stats(signal),
        deps.provider.status(signal).catch(() => null),
        file(),
      ]);
      return { ...describe(config, deps.provider, mode, stats, status), model_file };
    },
  };
}

interface Seen {
  search: PromiseSettledResult<unknown>;
  model: PromiseSettledResult<ProviderStatus>;
  /** Why it searches by words alone, in the words of our own search server. */
  why: string | undefined;
}

function problemsOf({ search, model }: Seen): string[] {
  return [
    ...(search.status === 'rejected' ? [`retrieval: ${messageOf(search.reason)}`] : []),
    ...(model.status === 'rejected' ? [`model: ${messageOf(model.reason)}`] : []),
    ...(model.status === 'fulfilled' && !model.value.ready ? model.value.notes : []),
  ];
}

function notesOf({ search, model, why }: Seen): string[] {
  return [
    ...(search.status === 'rejected' ? [`Retrieval does not work: ${messageOf(search.reason)}`] : []),
    ...(why === undefined ? [] : [`Search goes by words alone. ${why}`]),
    ...(model.status === 'rejected' ? [`The model does not answer: ${messageOf(model.reason)}`] : model.value.notes),
  ];
}

function describe(
  config: Config,
  provider: Provider,
  mode: SearchResponse['mode'],
  stats: Record<string, string>,
  status: { slots: number | null; contextTokens: number | null } | null,
): Omit<Info, 'model_file'> {
  const { llm } = config;
  return {
    version: packageJson.version,
    node: process.versions.node,
    provider: provider.name,
    model: provider.model,
    prompt_hash: provider.promptHash,
    decoding: { max_tokens: llm.maxTokens, temperature: llm.temperature, cache_prompt: llm.cachePrompt },
    slots: status?.slots ?? null,
    context_tokens: status?.contextTokens ?? null,
    max_concurrent: config.maxConcurrent,
    retrieval: {
      top_k: config.topK,
      built_in: config.search.command === undefined,
      mode,
      gate_override: config.search.env.CRAG_MIN_COSINE ?? null,
      stats,
      fingerprint: fingerprint(stats),
    },
  };
}

function fingerprint(stats: Record<string, string>): string {
  const lines = Object.entries(stats).filter(([name]) => name !== 'db');
  return createHash('sha256').update(JSON.stringify(lines.sort())).digest('hex');
}
