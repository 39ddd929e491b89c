/**
 * Any system behind an OpenAI-compatible endpoint that returns its sources with the answer. Read are, in this order, `sources`,
 * `documents`, `search_results`, `citations` and `context.citations`, in the message or beside it; each a string or an object with a
 * name (`source`, `file`, `filename`, `filepath`, `url`, `title`, `id`) and a text (`text`, `content`, `snippet`).
 */
import { z } from 'zod';
import { checkCitations, isRefusal } from '../../service/citations.ts';
import { type Answer, CodedError, type Source } from '../../service/contract.ts';
import { connectionError, postPatiently } from './http.ts';
import type { Asked, Description, Target } from './target.ts';

export interface OpenAiTargetOptions {
  /** Up to and with `/v1`. */
  baseUrl: string;
  model: string;
  apiKey?: string | undefined;
  /** Recognises a refusal by its text; default: the one sentence of askdocs. */
  refusal?: RegExp | undefined;
  maxConcurrent?: number;
}

export function openAiTarget(options: OpenAiTargetOptions): Target {
  return {
    describe: async () => describe(options),
    ask: (question, signal) => ask(options, question, signal),
    search: null,
  };
}

function describe({ model, maxConcurrent = 4, refusal }: OpenAiTargetOptions): Description {
  return {
    service: {
      provider: 'openai-compatible',
      model,
      search: 'unknown',
      settings: { refusal: refusal?.source ?? null },
    },
    corpus: { hash: null, stats: null },
    versions: {},
    maxConcurrent,
  };
}

async function ask(options: OpenAiTargetOptions, question: string, signal: AbortSignal): Promise<Asked> {
  const asked: Asked = {
    answer: null,
    sources: [],
    error: null,
    client: { ttft_ms: null, total_ms: 0, attempts: 1, token_events: 0 },
  };
  let sentAt = performance.now();
  try {
    const body = { model: options.model, messages: [{ role: 'user', content: question }], temperature: 0 };
    const headers: Record<string, string> =
      options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` };
    const posted = await postPatiently(
      `${options.baseUrl.replace(/\/+$/, '')}/chat/completions`,
      body,
      headers,
      signal,
    );
    sentAt = posted.sentAt;
    asked.client.attempts = posted.attempts;
    readCompletion(posted.response.status, await posted.response.json().catch(() => null), options, asked);
  } catch (error) {
    signal.throwIfAborted();
    asked.error =
      error instanceof CodedError
        ? { stage: 'protocol', code: error.code, message: error.message }
        : { stage: 'transport', ...connectionError(error) };
  }
  asked.client.total_ms = performance.now() - sentAt;
  if (asked.answer !== null) asked.answer.timings.total_ms = asked.client.total_ms;
  return asked;
}

function readCompletion(status: number, body: unknown, options: OpenAiTargetOptions, asked: Asked): void {
  if (status !== 200) {
    const message = errorSchema.safeParse(body).data?.error.message ?? `the endpoint answered ${status}`;
    asked.error = { stage: 'generation', code: `http_${status}`, message };
    return;
  }
  const parsed = completionSchema.safeParse(body);
  const choice = parsed.data?.choices[0];
  if (parsed.data === undefined || choice === undefined) {
    throw new CodedError('generation_failed', 'the endpoint answered in another shape than chat completions');
  }
  const found = sourcesIn(choice.message) ?? sourcesIn(parsed.data);
  if (found === null) throw new CodedError('generation_failed', 'the endpoint returned no sources with its answer');
  asked.sources = found.map(toSource);
  asked.answer = toAnswer(
    choice.message.content ?? '',
    asked.sources,
    choice.finish_reason === 'length',
    parsed.data,
    options,
  );
}

function toAnswer(
  text: string,
  sources: Source[],
  truncated: boolean,
  completion: z.infer<typeof completionSchema>,
  options: OpenAiTargetOptions,
): Answer {
  const { citations, invalid } = checkCitations(text, sources.length);
  const refused = options.refusal === undefined ? isRefusal(text) : options.refusal.test(text);
  const usage = completion.usage ?? null;
  return {
    answer: text,
    citations,
    invalid_citations: invalid,
    refused,
    refusal: refused ? 'model' : null,
    truncated,
    usage,
    timings: { retrieval_ms: 0, ttft_ms: null, generation_ms: 0, total_ms: 0 },
    trace_id: completion.id ?? '',
    cost_usd: null,
    evidence: [],
    nearest: [],
  };
}

/** The first list of sources there is; an empty one counts, it says that nothing was found. */
function sourcesIn(place: Record<string, unknown>): z.infer<typeof sourceListSchema> | null {
  const context = z.record(z.string(), z.unknown()).safeParse(place.context).data ?? {};
  const lists = [place.sources, place.documents, place.search_results, place.citations, context.citations];
  for (const list of lists) {
    const parsed = sourceListSchema.safeParse(list);
    if (parsed.success) return parsed.data;
  }
  return null;
}

function toSource(item: z.infer<typeof sourceListSchema>[number], index: number): Source {
  const { name, title, text } = item;
  return {
    source: name,
    title,
    heading: [],
    start: null,
    end: null,
    cosine: null,
    bm25: null,
    fusion: null,
    text,
    n: index + 1,
    used: true,
  };
}

const text = z.string().nullish();
const sourceListSchema = z.array(
  z.union([
    z.string().transform((name) => ({ name, title: '', text: '' })),
    z
      .object({
        source: text,
        file: text,
        filename: text,
        filepath: text,
        url: text,
        title: text,
        id: text,
        text,
        content: text,
        snippet: text,
      })
      .transform((item) => ({
        name: item.source ?? item.file ?? item.filename ?? item.filepath ?? item.url ?? item.title ?? item.id ?? '',
        title: item.title ?? '',
        text: item.text ?? item.content ?? item.snippet ?? '',
      })),
  ]),
);

const errorSchema = z.object({ error: z.object({ message: z.string() }) });

const completionSchema = z.looseObject({
  id: z.string().optional(),
  choices: z.array(
    z.looseObject({ message: z.looseObject({ content: z.string().nullish() }), finish_reason: z.string().nullish() }),
  ),
  usage: z.object({ prompt_tokens: z.number().int(), completion_tokens: z.number().int() }).nullish(),
});
