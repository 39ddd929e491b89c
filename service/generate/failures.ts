/** Tells apart what a model's server can do wrong: what it is called, whether to try again, and after how long. */
import { APIConnectionError, APIError } from 'openai';
import { CodedError } from '../contract.ts';

export interface Verdict {
  error: CodedError;
  /** Worth another try while no token was sent. */
  retry: boolean;
  /** What the server asked for in Retry-After. */
  retryAfterMs: number | undefined;
}

/** Longest Retry-After that is waited for; a server that asks for more is an error at once. */
const MAX_RETRY_AFTER_MS = 30_000;
const BASE_MS = 250;
const MAX_BACKOFF_MS = 8000;

export function judge(error: unknown): Verdict {
  const verdict = (code: CodedError['code'], message: string, retry: boolean, retryAfterMs?: number): Verdict => ({
    error: new CodedError(code, message, { cause: error }),
    retry,
    retryAfterMs,
  });
  if (error instanceof CodedError) return { error, retry: error.code === 'generation_failed', retryAfterMs: undefined };
  if (error instanceof APIConnectionError)
    return verdict('generation_failed', "The model's server cannot be reached.", true);
  if (error instanceof SyntaxError)
    return verdict('generation_failed', "The model's server sent what is not JSON.", true);
  if (!(error instanceof APIError))
    return verdict('generation_failed', "The stream of the model's server broke.", true);
  const overflow = readOverflow(error);
  if (overflow !== undefined) return verdict('context_overflow', overflow, false);
  const { status } = error as { status?: number };
  if (status === undefined)
    return verdict('generation_failed', "The model's server reported an error in the middle of its answer.", true);
  const retryAfterMs = readRetryAfter(error.headers?.get('retry-after'));
  const retry = (status === 408 || status === 429 || status >= 500) && (retryAfterMs ?? 0) <= MAX_RETRY_AFTER_MS;
  return verdict(
    'generation_failed',
    `The model's server answered with status ${status}${MEANING[status] ?? ''}.`,
    retry,
    retryAfterMs,
  );
}

/** An error as the text of a line `error: {…}`, in the form in which the client library reports the others. */
export function errorFromLine(line: string): unknown {
  try {
    return new APIError(undefined, JSON.parse(line) as object, undefined, undefined);
  } catch {
    return new APIError(undefined, { message: line }, undefined, undefined);
  }
}

/** Exponential, with jitter so that those who failed together do not come back together; never before Retry-After. */
export function backoffMs(
  attempt: number,
  retryAfterMs: number | undefined,
  random: () => number = Math.random,
): number {
  const exponential = Math.min(MAX_BACKOFF_MS, BASE_MS * 2 ** attempt) * (0.5 + random() / 2);
  return Math.max(retryAfterMs ?? 0, exponential);
}

const MEANING: Record<number, string> = {
  401: '; check ASKDOCS_LLM_API_KEY',
  403: '; check ASKDOCS_LLM_API_KEY',
  404: '; check ASKDOCS_LLM_BASE_URL and ASKDOCS_LLM_MODEL',
  429: ' (too many requests)',
  503: ' (loading or overloaded)',
};

/** llama.cpp: `exceed_context_size_error` with numbers, as 400 or 500 by version; OpenAI: `context_length_exceeded`. */
function readOverflow(error: APIError): string | undefined {
  const body = (error.error ?? {}) as {
    type?: unknown;
    code?: unknown;
    n_prompt_tokens?: unknown;
    n_ctx?: unknown;
    message?: unknown;
  };
  const named = [body.type, body.code, error.type, error.code].some(
    (name) => name === 'exceed_context_size_error' || name === 'context_length_exceeded',
  );
  const told =
    typeof body.message === 'string' &&
    /exceeds? the available context size|maximum context length/i.test(body.message);
  if (!named && !told) return undefined;
  const numbers =
    typeof body.n_prompt_tokens === 'number' && typeof body.n_ctx === 'number'
      ? `: ${body.n_prompt_tokens} tokens, and ${body.n_ctx} fit`
      : '';
  return `The prompt does not fit the model's context${numbers}. Ask for fewer passages (ASKDOCS_TOP_K) or give the server a larger context.`;
}

function readRetryAfter(value: string | null | undefined): number | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  const seconds = Number(value);
  const ms = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
