/** The components of `/openapi.json`, made by Zod. */
import { z } from 'zod';
import {
  answerSchema,
  askEnvelopeSchema,
  askRequestSchema,
  errorEnvelopeSchema,
  errorEventSchema,
  healthSchema,
  infoSchema,
  passageSchema,
  readySchema,
  searchEnvelopeSchema,
  searchRequestSchema,
  sourceSchema,
  statsSchema,
} from '../contract.ts';
import { chatRequestSchema } from './openai.ts';

/** As a client sends them: what has a default may be missing. */
const REQUESTS = {
  AskRequest: askRequestSchema,
  SearchRequest: searchRequestSchema,
  ChatRequest: chatRequestSchema,
  McpMessage: z.looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.int()]).optional(),
    method: z.string().optional(),
    params: z.looseObject({}).optional(),
  }),
} as const;

const usage = z.looseObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() });
const extension = answerSchema.omit({ answer: true, usage: true }).extend({ sources: sourceSchema.array() });

/** As the service answers. */
const REPLIES = {
  Passage: passageSchema,
  Source: sourceSchema,
  Answer: answerSchema,
  SourcesEvent: z.object({ sources: sourceSchema.array() }),
  TokenEvent: z.object({ text: z.string() }),
  AskEnvelope: askEnvelopeSchema,
  SearchEnvelope: searchEnvelopeSchema,
  ErrorEnvelope: errorEnvelopeSchema,
  ErrorEvent: errorEventSchema,
  Health: healthSchema,
  Ready: readySchema,
  Stats: statsSchema,
  Info: infoSchema,
  ChatCompletion: z.looseObject({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.looseObject({
        index: z.int(),
        message: z.looseObject({ role: z.literal('assistant'), content: z.string() }),
        finish_reason: z.enum(['stop', 'length']),
      }),
    ),
    usage: usage.optional(),
    askdocs: extension,
  }),
  ChatChunk: z.looseObject({
    id: z.string(),
    object: z.literal('chat.completion.chunk'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.looseObject({
        index: z.int(),
        delta: z.looseObject({ content: z.string().optional() }),
        finish_reason: z.enum(['stop', 'length']).nullable(),
      }),
    ),
    usage: usage.nullish(),
    askdocs: extension.optional(),
  }),
  ChatError: z.looseObject({ error: z.looseObject({ message: z.string(), code: z.string() }) }),
  ModelList: z.looseObject({
    object: z.literal('list'),
    data: z.array(
      z.looseObject({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() }),
    ),
  }),
  /** An error of JSON-RPC, or the envelope where the message was not read. */
  McpFailure: z.looseObject({ error: z.looseObject({ message: z.string() }) }),
  OpenApi: z.looseObject({ openapi: z.literal('3.1.0') }),
} as const;

export type SchemaName = keyof typeof REQUESTS | keyof typeof REPLIES;

export function componentSchemas(): Record<string, object> {
  return { ...made(REQUESTS, 'input'), ...made(REPLIES, 'output') };
}

function made(schemas: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output'): Record<string, object> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const json = z.toJSONSchema(registry, { io, uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(
    // OpenAPI 3.1 says the dialect once, and a reference finds a component by its place.
    Object.entries(json.schemas).map(([id, { $schema: _dialect, $id: _place, ...schema }]) => [id, schema]),
  );
}
