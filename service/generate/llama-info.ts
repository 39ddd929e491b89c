/** What a llama.cpp server says about itself outside the OpenAI API: slots, context, template, token counts. */
import { z } from 'zod';

const propsSchema = z.object({
  total_slots: z.number().int().optional(),
  default_generation_settings: z.object({ n_ctx: z.number().int().optional() }).optional(),
  chat_template: z.string().optional(),
  bos_token: z.string().optional(),
  eos_token: z.string().optional(),
});

export interface LlamaProps {
  slots: number | null;
  /** Tokens per slot, prompt and answer together. */
  contextTokens: number | null;
  /** Strings that the model's template uses as structure. */
  controlTokens: string[];
}

export interface LlamaInfo {
  /** Throws when the server does not answer, or is still loading. */
  props(signal: AbortSignal): Promise<LlamaProps>;
  /** Tokens of a text. */
  countTokens(text: string, signal: AbortSignal): Promise<number>;
}

const TIMEOUT_MS = 5000;

/** `baseUrl` is that of the OpenAI API; the others stand beside it, without `/v1`. */
export function createLlamaInfo(baseUrl: string): LlamaInfo {
  const root = baseUrl.replace(/\/v1\/?$/, '');
  return {
    async props(signal) {
      const parsed = propsSchema.parse(await getJson(`${root}/props`, { method: 'GET' }, signal));
      return {
        slots: parsed.total_slots ?? null,
        contextTokens: parsed.default_generation_settings?.n_ctx ?? null,
        controlTokens: templateTokens([parsed.chat_template, parsed.bos_token, parsed.eos_token]),
      };
    },
    async countTokens(text, signal) {
      const body = JSON.stringify({ content: text });
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
      const { tokens } = z
        .object({ tokens: z.array(z.unknown()) })
        .parse(await getJson(`${root}/tokenize`, init, signal));
      return tokens.length;
    },
  };
}

/** Everything in angle or square brackets that a chat template writes: the names of its control tokens. */
function templateTokens(texts: readonly (string | undefined)[]): string[] {
  const found = texts.flatMap((text) => text?.match(/<[^<>\s'"{}=%]{1,40}>|\[\/?[A-Z_]{2,30}\]/g) ?? []);
  return [...new Set(found)];
}

async function getJson(url: string, init: RequestInit, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`${new URL(url).pathname} answered with status ${response.status}`);
  }
  return response.json();
}
