/** What the load test asks a llama.cpp server directly, past the service. */
import { basename } from 'node:path';
import { z } from 'zod';
import { readSse } from '../harness/sse.ts';
import { CodedError } from '../service/contract.ts';

const propsSchema = z.object({
  total_slots: z.number().int(),
  default_generation_settings: z.object({ n_ctx: z.number().int() }).optional(),
  model_path: z.string().optional(),
  build_info: z.string().optional(),
});

export interface LlamaServer {
  /** Name of the model's file, without its folder. */
  model: string;
  build: string;
  slots: number;
  /** Tokens of one slot. */
  context: number | null;
}

/** `root` is the server's URL without `/v1`. Throws `bad_input` when nothing like llama.cpp answers there. */
export async function describeLlama(root: string): Promise<LlamaServer> {
  const response = await fetch(`${root}/props`, { signal: AbortSignal.timeout(5000) }).catch((error: unknown) => {
    throw new CodedError(
      'bad_input',
      `No llama.cpp server answers at ${root}; start one (scripts/llama-server.sh MODEL.gguf), name it with --llm URL, or use --stand-in.`,
      { cause: error },
    );
  });
  const parsed = propsSchema.safeParse(await response.json().catch(() => null));
  if (!parsed.success) {
    throw new CodedError(
      'bad_input',
      `What answers at ${root} is no llama.cpp server (no total_slots in /props, status ${response.status}); only its slots tell the limit.`,
    );
  }
  const { total_slots, default_generation_settings, model_path, build_info } = parsed.data;
  return {
    model: basename(model_path ?? 'unknown'),
    build: build_info ?? 'unknown',
    slots: total_slots,
    context: default_generation_settings?.n_ctx ?? null,
  };
}

const timingsSchema = z.object({
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }),
  timings: z.object({
    cache_n: z.number(),
    prompt_n: z.number(),
    prompt_ms: z.number(),
    predicted_n: z.number(),
    predicted_ms: z.number(),
  }),
});

export interface Completion {
  promptTokens: number;
  cached: number;
  evaluated: number;
  promptMs: number;
  predicted: number;
  predictedMs: number;
  /** From sending to the first text, and to the end, as seen here. */
  firstMs: number;
  totalMs: number;
  /** What came, in order: `role`, `text`, `finish:REASON`, `usage`, `[DONE]`. */
  events: string[];
}

/** One streamed answer of exactly `tokens` tokens where the server honours `ignore_eos` (the stand-in says less). */
export async function complete(
  root: string,
  prompt: string,
  tokens: number,
  signal?: AbortSignal,
): Promise<Completion> {
  const body = {
    messages: [{ role: 'user', content: prompt }],
    max_tokens: tokens,
    temperature: 0,
    ignore_eos: true,
    stream: true,
    stream_options: { include_usage: true },
  };
  const started = performance.now();
  const response = await fetch(`${root}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
  const events: string[] = [];
  let firstMs = 0;
  let last: unknown;
  for await (const event of response.body === null ? [] : readSse(response.body)) {
    const data = event.data === '[DONE]' ? undefined : JSON.parse(event.data);
    if (data !== undefined) last = data;
    const name = data === undefined ? '[DONE]' : nameOf(data);
    if (name === 'text') firstMs ||= performance.now() - started;
    events.push(name);
  }
  const { usage, timings } = timingsSchema.parse(last);
  return {
    promptTokens: usage.prompt_tokens,
    cached: timings.cache_n,
    evaluated: timings.prompt_n,
    promptMs: timings.prompt_ms,
    predicted: timings.predicted_n,
    predictedMs: timings.predicted_ms,
    firstMs,
    totalMs: performance.now() - started,
    events,
  };
}

/** Another text for each, different from its beginning, so that nothing is cached; of words, as questions are. */
export function probePrompt(n: number, chars: number): string {
  const words = ['request', 'limit', 'server', 'option', 'default', 'timeout', 'header', 'stream', 'error', 'value'];
  const nonce = Math.random().toString(36).slice(2);
  let text = `Note ${nonce} number ${n}.`;
  for (let i = 0; text.length < chars; i += 1) text += ` The ${words[(i * 7 + n) % words.length]} ${i} is set.`;
  return text;
}

interface Chunk {
  choices: { delta: { role?: string; content?: string | null }; finish_reason: string | null }[];
}

function nameOf({ choices }: Chunk): string {
  const [choice] = choices;
  if (choice === undefined) return 'usage';
  if (choice.finish_reason !== null) return `finish:${choice.finish_reason}`;
  return choice.delta.role === undefined ? 'text' : 'role';
}
