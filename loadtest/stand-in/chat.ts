/** The texts of llama.cpp's chat endpoint, as its server writes them. */
import type { Entry } from './engine.ts';

export interface ChatRequest {
  messages: { role: string; content: string }[];
  max_tokens?: number;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  cache_prompt?: boolean;
}

/** The prompt as a ChatML template makes it. */
export function promptOf(messages: ChatRequest['messages']): string {
  const turns = messages.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`);
  return `${turns.join('')}<|im_start|>assistant\n`;
}

const HEAD = { id: 'chatcmpl-stand-in', object: 'chat.completion.chunk', created: 0, model: 'stand-in' };

export function chunk(delta: object, finish: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ finish_reason: finish, index: 0, delta }], ...HEAD })}\n\n`;
}

/** The finish reason, then usage with timings where it was asked for, then `[DONE]`. */
export function endChunks(finish: string, entry: Entry, withUsage: boolean): string {
  const last = withUsage ? `data: ${JSON.stringify({ choices: [], ...HEAD, ...accounts(entry) })}\n\n` : '';
  return `${chunk({}, finish)}${last}data: [DONE]\n\n`;
}

/** `usage` and `timings` of an answer. */
export function accounts(entry: Entry): object {
  const { promptTokens, cachedTokens, predicted } = entry;
  const promptMs = (entry.firstToken ?? 0) - (entry.started ?? 0);
  const predictedMs = (entry.ended ?? 0) - (entry.firstToken ?? 0);
  return {
    usage: {
      completion_tokens: predicted,
      prompt_tokens: promptTokens,
      total_tokens: promptTokens + predicted,
      prompt_tokens_details: { cached_tokens: cachedTokens },
    },
    timings: {
      cache_n: cachedTokens,
      prompt_n: promptTokens - cachedTokens,
      prompt_ms: promptMs,
      predicted_n: predicted,
      predicted_ms: predictedMs,
    },
  };
}

export function errorBody(code: number, type: string, message: string, more: object = {}): object {
  return { error: { code, message, type, ...more } };
}
