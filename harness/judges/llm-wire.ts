/** One chat completion over HTTP, parsed once; and yes or no out of it. */
import { z } from 'zod';

export interface CompletionRequest {
  baseUrl: string;
  model: string;
  apiKey?: string | undefined;
  messages: { role: string; content: string }[];
}

export interface Completion {
  text: string;
  /** The alternatives for the first token, where the server offers them. */
  logprobs: { token: string; logprob: number }[];
  promptTokens: number | null;
  /** Prompt tokens that were computed, not taken from the cache; null where the server does not say. */
  evaluatedTokens: number | null;
}

/** A status the server answered with; final when asking again cannot help. */
export class JudgeHttpError extends Error {
  readonly status: number;
  readonly isFinal: boolean;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
    this.isFinal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  }
}

/** Enough for a yes or no behind a line feed or a quote; prose is cut off. */
const MAX_TOKENS = 3;

export async function complete(request: CompletionRequest, signal: AbortSignal): Promise<Completion> {
  const { baseUrl, model, apiKey, messages } = request;
  const authorization: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization },
    body: JSON.stringify({ model, messages, temperature: 0, max_tokens: MAX_TOKENS, logprobs: true, top_logprobs: 10 }),
    signal,
  });
  const body: unknown = await response.json().catch(() => null);
  const failure = errorSchema.safeParse(body);
  if (!response.ok || failure.success) {
    const status = response.ok ? 500 : response.status;
    const what = failure.success ? failure.data.error : 'no reason given';
    throw new JudgeHttpError(
      isOverflow(what) ? 400 : status,
      `the judge's server answered ${response.status}: ${what}`,
    );
  }
  const parsed = completionSchema.safeParse(body);
  if (!parsed.success) throw new Error("the judge's server answered in another shape than chat completions");
  return parsed.data;
}

/** P(yes) / (P(yes) + P(no)) over the alternatives of the first token; null when neither is among them. */
export function yesFromLogprobs(alternatives: Completion['logprobs']): number | null {
  let [yes, no] = [0, 0];
  for (const { token, logprob } of alternatives) {
    const said = yesFromText(token);
    if (said === true) yes += Math.exp(logprob);
    if (said === false) no += Math.exp(logprob);
  }
  // What stands behind a line feed or a quote as first token says nothing about yes or no.
  return yes + no < 0.01 ? null : yes / (yes + no);
}

/** Null unless the text begins with yes or no. */
export function yesFromText(text: string): boolean | null {
  const word = /^[\s"'*_`(]*(yes|no)(?![\p{L}])/iu.exec(text)?.[1]?.toLowerCase();
  return word === undefined ? null : word === 'yes';
}

function isOverflow(message: string): boolean {
  return /context|exceed/i.test(message) && /size|length|window|token/i.test(message);
}

const errorSchema = z.object({
  error: z.union([z.string(), z.object({ message: z.string() }).transform((error) => error.message)]),
});

const completionSchema = z
  .object({
    choices: z
      .array(
        z.object({
          message: z.object({ content: z.string().nullish() }),
          logprobs: z
            .object({
              content: z
                .array(
                  z.object({ top_logprobs: z.array(z.object({ token: z.string(), logprob: z.number() })).default([]) }),
                )
                .nullish(),
            })
            .nullish(),
        }),
      )
      .min(1),
    usage: z.object({ prompt_tokens: z.number() }).nullish(),
    timings: z.object({ prompt_n: z.number() }).nullish(),
  })
  .transform(
    ({ choices, usage, timings }): Completion => ({
      text: choices[0]?.message.content ?? '',
      logprobs: choices[0]?.logprobs?.content?.[0]?.top_logprobs ?? [],
      promptTokens: usage?.prompt_tokens ?? null,
      evaluatedTokens: timings?.prompt_n ?? null,
    }),
  );
