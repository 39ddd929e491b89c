/** The providers `llamacpp` and `openai`: a model behind the OpenAI API, streamed, retried only before the first token. */
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import { Stream } from 'openai/core/streaming';
import type { ChatCompletionChunk, ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import type { LlmConfig } from '../config.ts';
import { CodedError, type Source } from '../contract.ts';
import type { Logger } from '../log.ts';
import { type PromptOptions, passageBlock, promptHash, promptOf } from '../prompt.ts';
import { readChunks } from './chunks.ts';
import { backoffMs, errorFromLine, judge } from './failures.ts';
import { fitSources } from './fit.ts';
import { httpFetch } from './http-fetch.ts';
import { createLlamaInfo, type LlamaProps } from './llama-info.ts';
import { type GenerationEvent, type Message, numberSources, type Prepared, type Provider } from './provider.ts';
import { llamaStatus, remoteStatus } from './status.ts';
import { createWire } from './wire.ts';

export interface ModelOptions {
  llm: LlmConfig;
  /** Compared with the slots of a llama.cpp server. */
  maxConcurrent: number;
  secret: Uint8Array;
  log: Logger;
}

/** Tokens that a template adds around messages, at most. */
const TEMPLATE_TOKENS = 64;

export function createModel(options: ModelOptions): Provider {
  const { llm, secret, log } = options;
  const isLlama = llm.provider === 'llamacpp';
  const info = createLlamaInfo(llm.baseUrl);
  const client = new OpenAI({
    baseURL: llm.baseUrl,
    apiKey: llm.apiKey ?? 'none',
    maxRetries: 0,
    ...(isLlama ? { fetch: httpFetch } : {}),
    timeout: 2 ** 31 - 1,
    logLevel: 'off',
  });
  let props: LlamaProps | undefined;
  const readProps = async (signal: AbortSignal): Promise<LlamaProps | undefined> => {
    if (isLlama) props ??= await info.props(signal).catch(() => undefined);
    return props;
  };
  return {
    name: llm.provider,
    model: llm.model,
    promptHash: promptHash(),
    async prepare(question, passages, signal) {
      const known = await readProps(signal);
      const prompt: PromptOptions = { secret, controlTokens: known?.controlTokens ?? [] };
      const numbered = numberSources(passages);
      const blocks = numbered.map((source) => passageBlock(source, prompt));
      const context = known?.contextTokens ?? null;
      const budget = context === null ? null : context - llm.maxTokens;
      const whole = promptOf(question, blocks, prompt);
      const bare = () => promptOf(question, [], prompt);
      const count = (text: string) => info.countTokens(text, signal);
      const sources = await fitToContext(numbered, { whole, bare, blocks, budget, count }).catch((error: unknown) => {
        if (signal.aborted || error instanceof CodedError) throw error;
        return numbered;
      });
      const dropped = sources.filter((source) => !source.used);
      if (dropped.length > 0)
        log.warn('passages left out: they do not fit the context', { dropped: dropped.map((source) => source.source) });
      if (dropped.length === 0) return { question, sources, messages: whole };
      const used = blocks.filter((_, i) => sources[i]?.used);
      return { question, sources, messages: promptOf(question, used, prompt) };
    },
    generate: (prepared, signal) =>
      withRetries(prepared, client, options, signal, () => {
        // Its context may have changed with a restart.
        props = undefined;
      }),
    async status(signal) {
      if (!isLlama) return remoteStatus(llm, signal);
      props = await info.props(signal);
      return llamaStatus(props, llm, options.maxConcurrent);
    },
  };
}

interface Fit {
  /** With every passage. */
  whole: readonly Message[];
  /** Without any. */
  bare(): readonly Message[];
  /** Of each source, in order, as it stands in the prompt. */
  blocks: readonly string[];
  /** Tokens for the prompt, or null when the context is not known. */
  budget: number | null;
  count(text: string): Promise<number>;
}

async function fitToContext(sources: Source[], { whole, bare, blocks, budget, count }: Fit): Promise<Source[]> {
  if (budget === null) return sources;
  const text = textOf(whole);
  // A token is a byte at least: what fits by bytes need not be counted.
  if (Buffer.byteLength(text) + TEMPLATE_TOKENS <= budget) return sources;
  // One question to the server nearly always settles it; each text alone is counted when something has to go.
  if ((await count(text)) + TEMPLATE_TOKENS + blocks.length <= budget) return sources;
  const [fixed = 0, ...sizes] = await Promise.all([textOf(bare()), ...blocks].map(count));
  return fitSources(sources, { budget, fixed: fixed + TEMPLATE_TOKENS, sizes: sizes.map((size) => size + 1) });
}

function textOf(messages: readonly Message[]): string {
  return messages.map((message) => message.content).join('\n');
}

async function* withRetries(
  prepared: Prepared,
  client: OpenAI,
  options: ModelOptions,
  signal: AbortSignal,
  onFailure: () => void,
): AsyncGenerator<GenerationEvent> {
  for (let attempt = 0; ; attempt += 1) {
    let started = false;
    try {
      for await (const event of generateOnce(prepared, client, options.llm, signal)) {
        started = true;
        yield event;
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      const verdict = judge(error);
      onFailure();
      if (started || !verdict.retry || attempt >= options.llm.maxRetries) throw verdict.error;
      const ms = Math.round(backoffMs(attempt, verdict.retryAfterMs));
      options.log.warn('the model failed before its first token; trying again', {
        attempt: attempt + 1,
        wait_ms: ms,
        cause: verdict.error.message,
      });
      await sleep(ms, undefined, { signal });
    }
  }
}

async function* generateOnce(
  prepared: Prepared,
  client: OpenAI,
  llm: LlmConfig,
  signal: AbortSignal,
): AsyncGenerator<GenerationEvent> {
  const upstream = new AbortController();
  let stall: CodedError | undefined;
  const wire = createWire(llm.readTimeoutMs, (error) => {
    stall = error;
    upstream.abort(error);
  });
  const onLeave = () => upstream.abort(signal.reason);
  signal.addEventListener('abort', onLeave, { once: true });
  try {
    signal.throwIfAborted();
    wire.start();
    const request = client.chat.completions.create(requestBody(prepared, llm), { signal: upstream.signal });
    const response = wire.watch(await request.asResponse());
    const stream = Stream.fromSSEResponse<ChatCompletionChunk>(response, upstream, client);
    yield* readChunks(stream, llm.maxTokens, wire.sawDone);
    const line = wire.errorLine();
    if (line !== undefined) throw errorFromLine(line);
  } catch (error) {
    const line = wire.errorLine();
    throw stall ?? (line === undefined ? error : errorFromLine(line));
  } finally {
    signal.removeEventListener('abort', onLeave);
    wire.stop();
    upstream.abort();
  }
}

function requestBody({ messages }: Prepared, llm: LlmConfig): ChatCompletionCreateParamsStreaming {
  const own = llm.provider === 'llamacpp' ? { cache_prompt: llm.cachePrompt } : {};
  return {
    model: llm.model,
    messages: messages.map(({ role, content }) => ({ role, content })),
    max_tokens: llm.maxTokens,
    temperature: llm.temperature,
    stream: true,
    stream_options: { include_usage: true },
    ...own,
  };
}
