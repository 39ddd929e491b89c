/** `/v1`: the service as a model of the OpenAI API, so that any chat client can ask it. */
import type { H3Event } from 'h3';
import { z } from 'zod';
import { type AskDeps, collectAnswer, openAnswer, streamAnswer } from '../ask.ts';
import { InputError, readJson } from '../body.ts';
import type { Limits } from '../config.ts';
import { type AskEvent, type AskRequest, askRequestSchema, type CodedError, type Source } from '../contract.ts';
import { failureOf, statusOf } from '../errors.ts';
import { callerOf, failure, nodeRequest, type Route } from '../routes.ts';
import { completion, createChunks, MODEL_ID, openaiError } from './openai-shapes.ts';

interface OpenAiDeps extends AskDeps {
  limits: Limits;
}

const part = z.looseObject({ type: z.string(), text: z.string().optional() });

/** What of a chat request counts here; whatever else a client sends (temperature, tools) is not used. */
export const chatRequestSchema = z.looseObject({
  messages: z
    .array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(part), z.null()]).optional() }))
    .min(1)
    // Checked in questionOf; here for the published schema.
    .meta({ contains: { type: 'object', properties: { role: { const: 'user' } } } }),
  model: z.string().optional(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.literal(1, 'must be 1').nullish(),
});
export type ChatRequest = z.infer<typeof chatRequestSchema>;

const ROUTE = '/v1/chat/completions';

export function openaiRoutes(deps: OpenAiDeps): Record<string, Route> {
  const model = { id: MODEL_ID, object: 'model', created: Math.floor(Date.now() / 1000), owned_by: 'askdocs' };
  return {
    [ROUTE]: { methods: { POST: (event) => handleChat(event, deps) } },
    '/v1/models': { methods: { GET: () => Response.json({ object: 'list', data: [model] }) } },
  };
}

/** The last message of the user, as the one question; throws `bad_input`. */
export function questionOf({ messages }: ChatRequest): AskRequest {
  const last = messages.findLast((message) => message.role === 'user');
  const content = last?.content ?? '';
  const text = typeof content === 'string' ? content : content.flatMap((each) => each.text ?? []).join('\n');
  const parsed = askRequestSchema.safeParse({ question: text });
  if (parsed.success) return parsed.data;
  const message =
    last === undefined
      ? 'there is no message of the user'
      : `the last message of the user ${parsed.error.issues[0]?.message ?? 'is no question'}`;
  throw new InputError(`messages: ${message}`, [{ path: 'messages', message }]);
}

async function handleChat(event: H3Event, deps: OpenAiDeps): Promise<Response> {
  const arrived = performance.now();
  try {
    const limits = { bodyBytes: deps.limits.chatBodyBytes, bodyMs: deps.limits.bodyMs };
    const request = await readJson(nodeRequest(event), chatRequestSchema, limits);
    const answer = openAnswer(questionOf(request), deps, callerOf(event, `POST ${ROUTE}`, arrived));
    if (request.stream !== true) return await whole(answer);
    return streamed(answer, request.stream_options?.include_usage === true, deps);
  } catch (error) {
    const { status, headers } = failure(error, deps);
    headers.delete('content-length');
    const { stage, code, message } = failureOf(error, 'internal');
    // What was never taken up failed in no stage.
    return Response.json(openaiError({ code, message, ...(code === 'internal' ? { stage } : {}) }), {
      status,
      headers,
    });
  }
}

async function whole(answer: ReturnType<typeof openAnswer>): Promise<Response> {
  const { sources, last } = await collectAnswer(answer);
  if (last.event === 'done') return Response.json(completion(last.data, sources));
  return Response.json(openaiError(last.data), { status: statusOf(last.data.code as CodedError['code']) });
}

function streamed(answer: ReturnType<typeof openAnswer>, usage: boolean, deps: OpenAiDeps): Response {
  const chunks = createChunks(answer.traceId, usage);
  let sources: Source[] = [];
  const text = ({ event, data }: AskEvent): string => {
    if (event === 'sources') {
      sources = data.sources;
      return chunks.start();
    }
    if (event === 'token') return chunks.token(data.text);
    return event === 'done' ? chunks.done(data, sources) : chunks.failed(data);
  };
  return streamAnswer(answer, deps, (sse, event) => sse.write(text(event)));
}
