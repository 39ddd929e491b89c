/** The answer in the words of the OpenAI API: completion, chunks, errors. Pure. */
import type { Answer, ErrorEvent, Source } from '../contract.ts';
import { footer } from './footer.ts';

/** The one model there is. */
export const MODEL_ID = 'askdocs';

export function completion(answer: Answer, sources: readonly Source[]) {
  return {
    ...head(answer.trace_id, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: answer.answer + footer(answer, sources), refusal: null },
        logprobs: null,
        finish_reason: finishOf(answer),
      },
    ],
    ...(answer.usage === null ? {} : { usage: usageOf(answer.usage) }),
    askdocs: extension(answer, sources),
  };
}

/** The chunks of one stream, as text of server-sent events. */
export function createChunks(traceId: string, withUsage: boolean) {
  const base = head(traceId, 'chat.completion.chunk');
  const chunk = (delta: object, finish: string | null = null, more: object = {}) =>
    event({
      ...base,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(withUsage ? { usage: null } : {}),
      ...more,
    });
  return {
    start: () => chunk({ role: 'assistant', content: '' }),
    token: (content: string) => chunk({ content }),
    /** The footer, the end with the sources in a field of our own, the usage when asked for, and [DONE]. */
    done(answer: Answer, sources: readonly Source[]): string {
      const foot = footer(answer, sources);
      const usage = answer.usage === null ? null : usageOf(answer.usage);
      return [
        foot === '' ? '' : chunk({ content: foot }),
        chunk({}, finishOf(answer), { askdocs: extension(answer, sources) }),
        withUsage ? event({ ...base, choices: [], usage }) : '',
        'data: [DONE]\n\n',
      ].join('');
    },
    /** Clients raise this chunk as an error; there is no [DONE] after it, for the answer is not done. */
    failed: (error: ErrorEvent) => event(openaiError(error)),
  };
}

export function openaiError(error: { code: string; message: string; stage?: string; trace_id?: string }) {
  return {
    error: {
      message: error.message,
      type: TYPES[error.code] ?? 'server_error',
      param: null,
      code: error.code,
      ...(error.stage === undefined ? {} : { stage: error.stage }),
      ...(error.trace_id === undefined ? {} : { trace_id: error.trace_id }),
    },
  };
}

const TYPES: Record<string, string> = {
  bad_input: 'invalid_request_error',
  too_large: 'invalid_request_error',
  unsupported_type: 'invalid_request_error',
  unauthorized: 'authentication_error',
  busy: 'overloaded_error',
};

function head<T extends string>(traceId: string, object: T) {
  return { id: `chatcmpl-${traceId}`, object, created: Math.floor(Date.now() / 1000), model: MODEL_ID };
}

function finishOf(answer: Answer): 'stop' | 'length' {
  return answer.truncated ? 'length' : 'stop';
}

function usageOf(usage: NonNullable<Answer['usage']>) {
  return {
    prompt_tokens: usage.prompt_tokens,
    completion_tokens: usage.completion_tokens,
    total_tokens: usage.prompt_tokens + usage.completion_tokens,
    ...(usage.cached_tokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: usage.cached_tokens } }),
  };
}

function extension({ answer: _text, usage: _usage, ...rest }: Answer, sources: readonly Source[]) {
  return { sources, ...rest };
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
