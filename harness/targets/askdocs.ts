/** A service that speaks the contract: `/ask` as SSE, `/search`, `/healthz`. What breaks the protocol is an error of stage `protocol`. */
import type { z } from 'zod';
import {
  answerSchema,
  askEnvelopeSchema,
  CodedError,
  errorEventSchema,
  type Health,
  healthSchema,
  infoSchema,
  type SearchResponse,
  type Source,
  searchEnvelopeSchema,
  sourceSchema,
} from '../../service/contract.ts';
import { readSse, type SseEvent } from '../sse.ts';
import { connectionError, getJson, postPatiently } from './http.ts';
import type { Asked, Description, Target } from './target.ts';

export function askdocsTarget(baseUrl: string, headers: Record<string, string> = {}): Target {
  const base = baseUrl.replace(/\/+$/, '');
  return {
    describe: (signal) => describe(base, headers, signal),
    ask: (question, signal) => ask(base, headers, question, signal),
    search: (question, k, signal) => search(base, headers, { question, k }, signal),
  };
}

/** `/healthz` must be there; `/info` says more where it is. */
async function describe(base: string, headers: Record<string, string>, signal: AbortSignal): Promise<Description> {
  const health = await readHealth(base, headers, signal);
  const { provider, model, search, max_concurrent: maxConcurrent } = health;
  const info = infoSchema.safeParse(await getJson(`${base}/info`, headers, signal).catch(() => null));
  if (!info.success) {
    const corpus = { hash: null, stats: null };
    return { service: { provider, model, search, settings: {} }, corpus, versions: {}, maxConcurrent };
  }
  const { version, prompt_hash, model_file, decoding, slots, context_tokens, retrieval } = info.data;
  const { top_k, built_in, gate_override, stats, fingerprint } = retrieval;
  const settings = { prompt_hash, model_file, ...decoding, slots, context_tokens, top_k, built_in, gate_override };
  return {
    service: { provider, model, search, settings },
    corpus: { hash: fingerprint, stats: withoutPaths(stats) },
    versions: { service: version, service_node: info.data.node },
    maxConcurrent,
  };
}

/** The path of the index says where it lay on one machine, not what is in it. */
function withoutPaths({ db: _db, ...stats }: Record<string, string>): Record<string, string> {
  return stats;
}

async function readHealth(base: string, headers: Record<string, string>, signal: AbortSignal): Promise<Health> {
  const parsed = healthSchema.safeParse(await getJson(`${base}/healthz`, headers, signal));
  if (!parsed.success)
    throw new CodedError('unavailable', `${base}/healthz does not answer as an askdocs service does`);
  return parsed.data;
}

async function ask(
  base: string,
  headers: Record<string, string>,
  question: string,
  signal: AbortSignal,
): Promise<Asked> {
  const asked: Asked = {
    answer: null,
    sources: [],
    error: null,
    client: { ttft_ms: null, total_ms: 0, attempts: 1, token_events: 0 },
  };
  const started = performance.now();
  let sentAt = started;
  try {
    const posted = await postPatiently(
      `${base}/ask`,
      { question },
      { ...headers, accept: 'text/event-stream' },
      signal,
    );
    sentAt = posted.sentAt;
    asked.client.attempts = posted.attempts;
    if (posted.response.ok && posted.response.body !== null) await readAnswer(posted.response.body, asked, sentAt);
    else asked.error = await refusedRequest(posted.response);
  } catch (error) {
    signal.throwIfAborted();
    asked.error =
      error instanceof ProtocolError
        ? { stage: 'protocol', code: 'protocol', message: error.message }
        : { stage: 'transport', ...connectionError(error) };
  }
  if (asked.error !== null) asked.answer = null;
  asked.client.total_ms = performance.now() - sentAt;
  return asked;
}

class ProtocolError extends Error {}

async function readAnswer(body: AsyncIterable<Uint8Array>, asked: Asked, sentAt: number): Promise<void> {
  let text = '';
  let sources: Source[] | null = null;
  let ended = false;
  for await (const event of readSse(body)) {
    if (ended) throw new ProtocolError(`a ${event.event} event came after the end of the answer`);
    if (event.event === 'sources') {
      if (sources !== null || text !== '') throw new ProtocolError('sources came twice, or after the first token');
      sources = parse(event, sourceSchema.array(), 'sources');
      asked.sources = sources;
    } else if (event.event === 'token') {
      if (sources === null) throw new ProtocolError('a token came before the sources');
      asked.client.ttft_ms ??= performance.now() - sentAt;
      asked.client.token_events += 1;
      text += tokenText(event);
    } else if (event.event === 'done') {
      if (sources === null) throw new ProtocolError('done came before the sources');
      asked.answer = parse(event, answerSchema);
      ended = true;
    } else if (event.event === 'error') {
      asked.error = parse(event, errorEventSchema.omit({ trace_id: true }));
      ended = true;
    } else throw new ProtocolError(`an event of unknown name came: ${event.event}`);
  }
  if (!ended) throw new ProtocolError('the stream ended without done or error');
  const said = asked.answer?.answer;
  if (said !== undefined && text !== '' && said.trim() !== text.trim()) {
    throw new ProtocolError('the answer in done is not what the tokens said');
  }
}

function parse<T extends z.ZodType>(event: SseEvent, schema: T, field?: string): z.infer<T> {
  let json: unknown;
  try {
    json = JSON.parse(event.data);
  } catch {
    throw new ProtocolError(`the data of ${event.event} is not JSON`);
  }
  const value = field === undefined ? json : (json as Record<string, unknown> | null)?.[field];
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new ProtocolError(`the data of ${event.event} has another shape: ${issue?.path.join('.')}: ${issue?.message}`);
}

function tokenText(event: SseEvent): string {
  const text = (JSON.parse(event.data) as { text?: unknown } | null)?.text;
  if (typeof text !== 'string') throw new ProtocolError('a token without text came');
  return text;
}

/** A request answered with a status: the body says what was wrong. */
async function refusedRequest(response: Response): Promise<Asked['error']> {
  const body = askEnvelopeSchema.safeParse(await response.json().catch(() => null));
  if (body.success && body.data.error !== null) {
    const { stage, code, message } = body.data.error;
    return { stage: stage ?? 'internal', code, message };
  }
  return { stage: 'transport', code: `http_${response.status}`, message: `the service answered ${response.status}` };
}

async function search(
  base: string,
  headers: Record<string, string>,
  request: { question: string; k: number },
  signal: AbortSignal,
): Promise<SearchResponse> {
  const { response } = await postPatiently(`${base}/search`, request, headers, signal);
  const body = searchEnvelopeSchema.safeParse(await response.json().catch(() => null));
  if (body.success && body.data.success) return body.data.data;
  const why = body.success ? body.data.error?.message : `status ${response.status}`;
  throw new CodedError('retrieval_failed', `search failed: ${why}`);
}
