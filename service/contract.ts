/**
 * Every public shape of askdocs, as Zod schemas; the types are inferred from them.
 * Offsets count UTF-16 code units of the source's text (of a PDF, HTML or DOCX file: of what was read from it), end
 * exclusive. Times are milliseconds.
 */
import { z } from 'zod';

/** Longest question the service takes, in characters. */
export const MAX_QUESTION_CHARS = 2000;
/** Most passages one question may ask for. */
export const MAX_K = 20;
/** The one sentence with which a model refuses. */
export const REFUSAL_SENTENCE = 'I cannot answer this from the documents.';

const score = z.number().nullable();

/** A passage as the retrieval server returns it. Scores are null where that half did not run or is not known. */
export const passageSchema = z.object({
  source: z.string(),
  title: z.string().default(''),
  heading: z.array(z.string()).default([]),
  start: z.number().int().nullable(),
  end: z.number().int().nullable(),
  /** From 1, where it begins; absent where the format has no lines or pages, or the server does not say. */
  line: z.number().int().min(1).optional(),
  page: z.number().int().min(1).optional(),
  /** Where a person can open it. Of whoever wrote the index: make a link of it only when it is http or https. */
  url: z.string().optional(),
  cosine: score,
  bm25: score,
  fusion: score,
  text: z.string(),
});
export type Passage = z.infer<typeof passageSchema>;

/** `structuredContent` of the tool `crag_search`. */
export const searchResultSchema = z.object({
  passages: z.array(passageSchema),
  /** What the evidence gate held back, best first. */
  below_gate: z.array(passageSchema),
  mode: z.enum(['lexical', 'dense', 'hybrid']),
  /** The sentence in parentheses when there is no passage. */
  note: z.string().nullable(),
});
export type SearchResult = z.infer<typeof searchResultSchema>;

/** A passage given to the answer, numbered as citations count: from 1. */
export const sourceSchema = passageSchema.extend({
  n: z.number().int().min(1),
  /** False when it did not fit the model's context and was left out of the prompt. */
  used: z.boolean(),
});
export type Source = z.infer<typeof sourceSchema>;

/** What is not white space, spelt out: `\S` means something else in each language that reads the published schema. */
const NOT_BLANK = /[^\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/;
const question = z
  .string()
  .max(MAX_QUESTION_CHARS, `must be at most ${MAX_QUESTION_CHARS} characters`)
  .regex(NOT_BLANK, 'must not be empty');
const k = z.number().int().min(1).max(MAX_K).optional();

export const askRequestSchema = z.strictObject({ question, k });
export type AskRequest = z.infer<typeof askRequestSchema>;
export const searchRequestSchema = z.strictObject({ question, k });
export type SearchRequest = z.infer<typeof searchRequestSchema>;

/** An exact piece of a passage: `passage.text.slice(start, end) === text`. Score 0..1. */
export const quoteSchema = z.object({
  text: z.string(),
  start: z.number().int(),
  end: z.number().int(),
  score: z.number(),
});
export type Quote = z.infer<typeof quoteSchema>;

/** One sentence of the answer, where it stands in it, and what each of its citations says that supports it. */
export const evidenceSchema = z.object({
  sentence: z.string(),
  start: z.number().int(),
  end: z.number().int(),
  citations: z.array(z.object({ n: z.number().int(), quote: quoteSchema.nullable() })),
});
export type Evidence = z.infer<typeof evidenceSchema>;

export const usageSchema = z.object({
  prompt_tokens: z.number().int(),
  completion_tokens: z.number().int(),
  cached_tokens: z.number().int().optional(),
});
export type Usage = z.infer<typeof usageSchema>;

export const timingsSchema = z.object({
  retrieval_ms: z.number(),
  /** From the request's arrival to the first token, retrieval included; null when there was no token. */
  ttft_ms: z.number().nullable(),
  generation_ms: z.number(),
  total_ms: z.number(),
});

/** Data of the `done` event. */
export const answerSchema = z.object({
  answer: z.string(),
  /** Numbers of the sources cited, ascending, each once. */
  citations: z.array(z.number().int()),
  /** Numbers cited that no source has. */
  invalid_citations: z.array(z.number().int()),
  refused: z.boolean(),
  refusal: z.enum(['gate', 'model']).nullable(),
  truncated: z.boolean(),
  /** Null when the provider did not say. */
  usage: usageSchema.nullable(),
  timings: timingsSchema,
  trace_id: z.string(),
  /** 0 when the prices are 0, null when usage is unknown. */
  cost_usd: z.number().nullable(),
  evidence: z.array(evidenceSchema),
  /** On a refusal by the gate: what came closest. Shown to people, never sent to a model. */
  nearest: z.array(passageSchema),
});
export type Answer = z.infer<typeof answerSchema>;

export const stageSchema = z.enum(['retrieval', 'generation', 'internal']);
export type Stage = z.infer<typeof stageSchema>;

/** Data of the `error` event. */
export const errorEventSchema = z.object({
  stage: stageSchema,
  code: z.string(),
  message: z.string(),
  /** The part of the answer that had been sent. */
  partial: z.string().optional(),
  trace_id: z.string(),
});
export type ErrorEvent = z.infer<typeof errorEventSchema>;

/** The events of a stream: `sources`, any number of `token`, then exactly one of `done` or `error`. */
export type AskEvent =
  | { event: 'sources'; data: { sources: Source[] } }
  | { event: 'token'; data: { text: string } }
  | { event: 'done'; data: Answer }
  | { event: 'error'; data: ErrorEvent };

/** Body of every failed JSON request. */
export const errorBodySchema = z.object({
  code: z.string(),
  message: z.string(),
  stage: stageSchema.optional(),
  partial: z.string().optional(),
  trace_id: z.string().optional(),
  /** For bad input: which field, and what is wrong with it. */
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;

/** Body of every failed request. */
export const errorEnvelopeSchema = z.object({ success: z.literal(false), data: z.null(), error: errorBodySchema });

const envelope = <T extends z.ZodType>(data: T) =>
  z.discriminatedUnion('success', [z.object({ success: z.literal(true), data, error: z.null() }), errorEnvelopeSchema]);

/** `POST /ask?stream=false`: the answer with the sources it was made from. */
export const askEnvelopeSchema = envelope(answerSchema.extend({ sources: z.array(sourceSchema) }));
export type AskEnvelope = z.infer<typeof askEnvelopeSchema>;

export const searchResponseSchema = z.object({
  /** Ranked, gate off: what cleared the gate and what did not, in one order. */
  passages: z.array(passageSchema),
  /** False behind a foreign retrieval server, whose gate cannot be looked behind. */
  ungated: z.boolean(),
  mode: z.enum(['lexical', 'dense', 'hybrid', 'unknown']),
  retrieval_ms: z.number(),
});
export type SearchResponse = z.infer<typeof searchResponseSchema>;
export const searchEnvelopeSchema = envelope(searchResponseSchema);

export const healthSchema = z.object({
  status: z.enum(['ok', 'degraded']),
  in_flight: z.number().int(),
  max_concurrent: z.number().int(),
  provider: z.string(),
  model: z.string(),
  search: z.enum(['lexical', 'dense', 'hybrid', 'unknown']),
  /** One sentence each about what works less well than it could. */
  notes: z.array(z.string()),
});
export type Health = z.infer<typeof healthSchema>;

/** `GET /readyz`: 200 when index and model answer, else 503. */
export const readySchema = z.object({
  ready: z.boolean(),
  /** One sentence for each part that does not answer. */
  problems: z.array(z.string()),
});
export type Ready = z.infer<typeof readySchema>;

const percentilesSchema = z.object({ p50: z.number().nullable(), p95: z.number().nullable() });

/** `GET /stats`: counts since the start, and the last 1000 answers in numbers. */
export const statsSchema = z.object({
  uptime_s: z.number(),
  answers: z.number().int(),
  refusals: z.object({ gate: z.number().int(), model: z.number().int() }),
  errors: z.object({ retrieval: z.number().int(), generation: z.number().int(), internal: z.number().int() }),
  /** Clients that left before the end. */
  cancelled: z.number().int(),
  /** Requests refused with 503 because every slot was taken. */
  rejected: z.number().int(),
  window: z.object({
    answers: z.number().int(),
    retrieval_ms: percentilesSchema,
    ttft_ms: percentilesSchema,
    generation_ms: percentilesSchema,
    total_ms: percentilesSchema,
    prompt_tokens: z.number(),
    completion_tokens: z.number(),
    cached_tokens: z.number(),
    cost_usd: z.number(),
    /** Answers whose tokens the provider did not report; they count nothing above. */
    usage_unknown: z.number().int(),
  }),
});
export type Stats = z.infer<typeof statsSchema>;

/** `GET /info`: what determines the answers, for a run's manifest. */
export const infoSchema = z.object({
  version: z.string(),
  node: z.string(),
  provider: z.string(),
  model: z.string(),
  /** Name and SHA-256 of the model's file where it is known. */
  model_file: z.object({ name: z.string(), sha256: z.string() }).nullable(),
  /** SHA-256 of everything fixed in the prompt; of the method where there is no model. */
  prompt_hash: z.string(),
  decoding: z.object({ max_tokens: z.number().int(), temperature: z.number(), cache_prompt: z.boolean() }),
  /** Of the model's server, where it says so. */
  slots: z.number().int().nullable(),
  context_tokens: z.number().int().nullable(),
  max_concurrent: z.number().int(),
  retrieval: z.object({
    top_k: z.number().int(),
    /** Whether the search server that comes with askdocs stands behind the service. */
    built_in: z.boolean(),
    mode: z.enum(['lexical', 'dense', 'hybrid', 'unknown']),
    /** The gate as it was set from outside, or null for the server's own. */
    gate_override: z.string().nullable(),
    /** What `crag_stats` says, by name. */
    stats: z.record(z.string(), z.string()),
    /** SHA-256 of those lines without the path of the index: another index or setting has another one. */
    fingerprint: z.string(),
  }),
});
export type Info = z.infer<typeof infoSchema>;

/** Codes of the failures a caller can tell apart. */
export type ErrorCode =
  | 'bad_input'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'too_large'
  | 'unsupported_type'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'busy'
  | 'retrieval_failed'
  | 'generation_failed'
  | 'context_overflow'
  | 'timeout'
  | 'cancelled'
  | 'bad_config'
  | 'unavailable'
  | 'internal';

/** The one error class: a code to act on and a sentence fit to be shown; `cause` is for the log alone. */
export class CodedError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'CodedError';
    this.code = code;
  }
}
