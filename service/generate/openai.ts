/** The providers `llamacpp` and `openai`: a model behind the OpenAI API, streamed, retried only before the first token. */
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import type { LlmConfig } from '../config.ts';
import { CodedError, type Passage, type Source } from '../contract.ts';
import type { Logger } from '../log.ts';
import { buildPrompt, type PromptOptions, passageBlock, promptHash } from '../prompt.ts';
import { readChunks } from './chunks.ts';
import { backoffMs, errorFromLine, judge } from './failures.ts';
import { fitSources } from './fit.ts';
import { createLlamaInfo, type LlamaProps } from './llama-info.ts';
import { type GenerationEvent, numberSources, type Prepared, type Provider } from './provider.ts';
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
      const count = (text: string) => info.countTokens(text, signal);
      const sources = await fitToContext(
        question,
        passages,
        prompt,
        known?.contextTokens ?? null,
        llm.maxTokens,
        count,
      ).catch((error: unknown) => {
        if (signal.aborted || error instanceof CodedError) throw error;
        return numberSources(passages);
      });
      const dropped = sources.filter((source) => !source.used);
      if (dropped.length > 0)
        log.warn('passages left out: they do not fit the context', { dropped: dropped.map((source) => source.source) });
      return { question, sources, messages: buildPrompt(question, sources, prompt) };
    },
    generate: (prepared, signal) =>
      withRetries(prepared, options, signal, () => {
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

async function fitToContext(
  question: string,
  passages: readonly Passage[],
  prompt: PromptOptions,
  context: number | null,
  maxTokens: number,
  count: (text: string) => Promise<number>,
): Promise<Source[]> {
  const sources = numberSources(passages);
  if (context === null) return sources;
  const budget = context - maxTokens;
  const fixedText = buildPrompt(question, [], prompt)
    .map((message) => message.content)
    .join('\n');
  const blocks = sources.map((source) => passageBlock(source, prompt));
  // A token is a byte at least: what fits by bytes need not be counted.
  const bytes = [fixedText, ...blocks].reduce((sum, text) => sum + Buffer.byteLength(text), TEMPLATE_TOKENS);
  if (bytes <= budget) return sources;
  const [fixed = 0, ...sizes] = await Promise.all([fixedText, ...blocks].map(count));
  return fitSources(sources, { budget, fixed: fixed + TEMPLATE_TOKENS, sizes: sizes.map((size) => size + 1) });
}

async function* withRetries(
  prepared: Prepared,
  options: ModelOptions,
  signal: AbortSignal,
  onFailure: () => void,
): AsyncGenerator<GenerationEvent> {
  for (let attempt = 0; ; attempt += 1) {
    let started = false;
    try {
      for await (const event of generateOnce(prepared, options.llm, signal)) {
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

async function* generateOnce(prepared: Prepared, llm: LlmConfig, signal: AbortSignal): AsyncGenerator<GenerationEvent> {
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
    const client = new OpenAI({
      baseURL: llm.baseUrl,
      apiKey: llm.apiKey ?? 'none',
      maxRetries: 0,
      timeout: 2 ** 31 - 1,
      fetch: wire.fetch,
      logLevel: 'off',
    });
    const stream = await client.chat.completions.create(requestBody(prepared, llm), { signal: upstream.signal });
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
