/** What the service says about itself: health, readiness, and what a run's manifest needs. */
import { createHash } from 'node:crypto';
import packageJson from '../package.json' with { type: 'json' };
import type { AppDeps } from './app.ts';
import type { Config } from './config.ts';
import type { Health, Info, SearchResponse } from './contract.ts';
import { describeError } from './errors.ts';
import type { Provider } from './generate/provider.ts';
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
  const check = async (): Promise<void> => {
    const [search, model] = await Promise.allSettled([
      deps.retriever.search('warm up', 1, never),
      deps.provider.status(never),
    ]);
    if (search.status === 'fulfilled') mode = search.value.mode;
    notes = [
      ...(search.status === 'rejected' ? [`Retrieval does not work: ${messageOf(search.reason)}`] : []),
      ...(model.status === 'rejected' ? [`The model does not answer: ${messageOf(model.reason)}`] : model.value.notes),
    ];
    failed = search.status === 'rejected' || model.status === 'rejected' || !model.value.ready;
    for (const result of [search, model]) {
      if (result.status === 'rejected') deps.log.warn('warm-up failed', { cause: describeError(result.reason) });
    }
    for (const note of notes) deps.log.warn(note);
  };
  return {
    warmUp: check,
    health: () => ({
      status: failed ? 'degraded' : 'ok',
      max_concurrent: config.maxConcurrent,
      provider: deps.provider.name,
      model: deps.provider.model,
      search: mode,
      notes,
    }),
    async ready(signal) {
      const [search, model] = await Promise.allSettled([deps.retriever.stats(signal), deps.provider.status(signal)]);
      failed = search.status === 'rejected' || model.status === 'rejected' || !model.value.ready;
      return [
        ...(search.status === 'rejected' ? [`retrieval: ${messageOf(search.reason)}`] : []),
        ...(model.status === 'rejected'
          ? [`model: ${messageOf(model.reason)}`]
          : model.value.ready
            ? []
            : model.value.notes),
      ];
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
