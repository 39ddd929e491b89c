/** Shapes of `loadtest/results/<name>.json`. */
import { z } from 'zod';

const percentilesSchema = z.object({ p50: z.number(), p95: z.number(), max: z.number(), mean: z.number() });
const count = z.number().int().min(0);

/** What the k6 script writes for one point; see k6/summary.ts. */
export const pointSummarySchema = z.strictObject({
  users: count,
  answersInWindow: z.number(),
  windowS: z.number().positive(),
  answered: count,
  refusedByGate: count,
  refusedByModel: count,
  rejected: count,
  failed: count,
  broken: count,
  stillWaiting: count,
  ttftMs: percentilesSchema.nullable(),
  retrievalMs: percentilesSchema.nullable(),
  answerMs: percentilesSchema.nullable(),
  waitMs: percentilesSchema.nullable(),
  promptTokens: z.number().nullable(),
  cachedTokens: z.number().nullable(),
  completionTokens: z.number().nullable(),
  waitByUser: z.array(z.number().nullable()),
  thresholdsMet: z.boolean(),
});
export type PointSummary = z.infer<typeof pointSummarySchema>;

export const ratesSchema = z.object({ prefillPerSecond: z.number(), stepMs: z.number(), slotMs: z.number() });

/** The same point as the stand-in saw it; absent for a real server, which keeps no such log. */
export const serverViewSchema = z.object({
  requests: count,
  /** From arrival to the first token, ms. */
  ttftMs: percentilesSchema,
  /** From arrival to a slot, ms: the queue nobody sees. */
  queueMs: percentilesSchema,
});
export type ServerView = z.infer<typeof serverViewSchema>;

export const pointSchema = z.object({
  users: count,
  limit: count,
  pauseS: z.number(),
  answersPerS: z.number(),
  theoryPerS: z.number().nullable(),
  k6: pointSummarySchema,
  server: serverViewSchema.nullable(),
});
export type Point = z.infer<typeof pointSchema>;

export const resultSchema = z.object({
  schema_version: z.literal(1),
  name: z.string(),
  date: z.string(),
  target: z.enum(['stand-in', 'llama.cpp']),
  hardware: z.object({ cpu: z.string(), cores: z.number(), memory_gib: z.number(), platform: z.string() }),
  versions: z.object({ askdocs: z.string(), node: z.string(), k6: z.string(), llama: z.string() }),
  git: z.object({ commit: z.string(), dirty: z.boolean() }).nullable(),
  model: z.object({ name: z.string(), slots: count, context: count.nullable() }),
  /** Of the server's steps: given to the stand-in, measured on a real server before the sweep. */
  rates: ratesSchema,
  settings: z.object({
    durationS: z.number(),
    edgeS: z.number(),
    warmUpQuestions: z.number().default(0),
    maxTokens: count,
    topK: count,
    retrieval: z.string(),
    questions: count,
  }),
  points: z.array(pointSchema),
});
export type Result = z.infer<typeof resultSchema>;
