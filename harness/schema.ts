/**
 * Every shape the harness writes to disk, versioned. A run folder holds
 * `manifest.json`, `cases.jsonl` (the cases as they were asked), `answers.jsonl`, `retrieval.jsonl`, `verdicts.jsonl`,
 * and, computed from those alone, `summary.json`, `report.md` and `timings.json`.
 */
import { z } from 'zod';
import { answerSchema, passageSchema, sourceSchema, stageSchema } from '../service/contract.ts';

/** Raised when a reader of an older version would misunderstand what is written. */
export const SCHEMA_VERSION = 1;
const v = z.literal(SCHEMA_VERSION);
const hash = z.string().regex(/^[0-9a-f]{32,64}$/, 'must be a hash in hexadecimal');

export const KINDS = ['factual', 'multi_source', 'unanswerable', 'off_topic'] as const;
export const SPLITS = ['dev', 'test'] as const;
export const kindSchema = z.enum(KINDS);
export const splitSchema = z.enum(SPLITS);
export type Kind = z.infer<typeof kindSchema>;

/** One fact the answer must state: any of the alternatives will do; the first stands verbatim in a labelled file. */
export const keyFactSchema = z.strictObject({
  any: z.array(z.string().trim().min(1, 'must not be empty')).min(1, 'needs at least one alternative'),
  /** False for what is good to have: shown, but not part of key-fact recall. */
  vital: z.boolean().default(true),
});
export type KeyFact = z.infer<typeof keyFactSchema>;

export const caseSchema = z
  .strictObject({
    id: z.string().regex(/^[\w.:-]+$/, 'may hold letters, digits and . _ : - only'),
    kind: kindSchema,
    split: splitSchema,
    question: z.string().max(2000).trim().min(1, 'must not be empty'),
    /** Sources that hold the answer; empty when the documents do not answer. */
    files: z.array(z.string().min(1)),
    /** Sources that hold the whole answer too: finding one of them is as good as finding the first of `files`. */
    also: z.array(z.string().min(1)).default([]),
    key_facts: z.array(keyFactSchema),
    lang: z.string().default('en'),
    tags: z.array(z.string()).default([]),
    note: z.string().optional(),
  })
  .superRefine((item, context) => {
    for (const [path, message] of labelProblems(item)) context.addIssue({ code: 'custom', path: [path], message });
  });
export type Case = z.infer<typeof caseSchema>;

/** A question the documents answer; the others must be refused. */
export function isAnswerable(item: Pick<Case, 'kind'>): boolean {
  return item.kind === 'factual' || item.kind === 'multi_source';
}

/** What the service said to one case in one repetition, with every passage the model saw. */
export const answerRecordSchema = z.object({
  v,
  case_id: z.string(),
  /** Repetition, from 1. */
  run: z.number().int().min(1),
  case_hash: hash,
  /** `answered` holds refusals too; `error` is a failed request, kept as data. */
  status: z.enum(['answered', 'error']),
  answer: answerSchema.nullable(),
  sources: z.array(sourceSchema),
  error: z
    .object({
      stage: z.enum([...stageSchema.options, 'transport', 'protocol']),
      code: z.string(),
      message: z.string(),
      partial: z.string().optional(),
    })
    .nullable(),
  /** Measured by the harness, on its side of the connection, in milliseconds. */
  client: z.object({
    ttft_ms: z.number().nullable(),
    total_ms: z.number(),
    /** 1 + how often the service was busy (503) and the request was sent again. */
    attempts: z.number().int(),
    token_events: z.number().int(),
  }),
  /** Hash of what was said and shown, without times and trace ids: what verdicts are bound to. */
  answer_hash: hash,
  /** Hash of this whole record without this field: finds an edited record. */
  hash,
});
export type AnswerRecord = z.infer<typeof answerRecordSchema>;

/** Ranked passages of one case at k=10, gate off where the server allows it, recorded apart from what the model saw. */
export const retrievalRecordSchema = z.object({
  v,
  case_id: z.string(),
  case_hash: hash,
  k: z.number().int(),
  passages: z.array(passageSchema.omit({ text: true, title: true, heading: true }).extend({ passage_hash: hash })),
  ungated: z.boolean(),
  mode: z.enum(['lexical', 'dense', 'hybrid', 'unknown']),
  retrieval_ms: z.number(),
  error: z.string().nullable(),
  hash,
});
export type RetrievalRecord = z.infer<typeof retrievalRecordSchema>;

/** One yes/no question to a judge: does this passage support this sentence? */
export const verdictSchema = z.object({
  v,
  case_id: z.string(),
  run: z.number().int().min(1),
  answer_hash: hash,
  /** Which sentence of the answer, from 0, and its text. */
  sentence: z.number().int().min(0),
  text: z.string(),
  /** Number of the cited source. */
  citation: z.number().int().min(1),
  passage_hash: hash,
  /** Fingerprint of the judge: its name, model, prompt and settings. */
  judge: hash,
  status: z.enum(['judged', 'unjudged']),
  /** Null exactly when unjudged. */
  supported: z.boolean().nullable(),
  /** The judge's score for yes, 0..1, where it has one. */
  score: z.number().nullable(),
  /** Why it is unjudged, or what the judge went by. */
  reason: z.string().nullable(),
  hash,
});
export type Verdict = z.infer<typeof verdictSchema>;

export const judgeInfoSchema = z.object({
  name: z.string(),
  model: z.string(),
  /** Hash of the prompt, or of the rules of a judge without a model. */
  prompt_hash: hash,
  settings: z.record(z.string(), z.unknown()),
  fingerprint: hash,
});
export type JudgeInfo = z.infer<typeof judgeInfoSchema>;

export const manifestSchema = z.object({
  v,
  /** What was asked. */
  cases: z.object({
    path: z.string(),
    hash,
    count: z.number().int(),
    order: z.enum(['file', 'shuffled']),
    seed: z.string(),
  }),
  runs: z.number().int().min(1),
  /** What answered; `settings` holds what the starter knew: prompt hash, decoding, k, prompt cache, model file. */
  service: z.object({
    started: z.boolean(),
    url: z.string().nullable(),
    provider: z.string(),
    model: z.string(),
    search: z.string(),
    settings: z.record(z.string(), z.unknown()),
  }),
  /** What was searched. */
  corpus: z.object({
    db: z.string().nullable(),
    hash: hash.nullable(),
    stats: z.record(z.string(), z.string()).nullable(),
  }),
  /** The first judge is the one whose faithfulness gates. */
  judges: z.array(judgeInfoSchema),
  /** Hash over the hashes of all records of a finished phase. */
  seals: z.object({ answers: hash.nullable(), retrieval: hash.nullable(), verdicts: hash.nullable() }),
  versions: z.record(z.string(), z.string()),
  git: z.object({ commit: z.string(), dirty: z.boolean() }).nullable(),
  hardware: z.object({ cpu: z.string(), cores: z.number(), memory_gib: z.number(), platform: z.string() }),
  created: z.string(),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** `overall`, `kind:factual`, `split:test`, … */
const sliceSchema = z.string();

export const metricSchema = z.object({
  name: z.string(),
  slice: sliceSchema,
  /** Cases that have a score. */
  n: z.number().int(),
  /** Null when no case has one. */
  value: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** How the interval was made: wilson, bca, percentile, degenerate, none. */
  method: z.string(),
  direction: z.enum(['higher', 'lower']),
});
export type Metric = z.infer<typeof metricSchema>;

const matrixSchema = z.object({
  answered: z.number().int(),
  wrong_refusal: z.number().int(),
  correct_refusal: z.number().int(),
  wrongly_answered: z.number().int(),
  error: z.number().int(),
});
export type RefusalMatrix = z.infer<typeof matrixSchema>;

/** A pure function of the records: no dates, no times. */
export const summarySchema = z.object({
  v,
  cases: z.object({
    count: z.number().int(),
    hash,
    by_kind: z.record(z.string(), z.number()),
    by_split: z.record(z.string(), z.number()),
  }),
  runs: z.number().int(),
  service: z.object({ provider: z.string(), model: z.string(), search: z.string() }),
  metrics: z.array(metricSchema),
  /** Counts of answers (cases times repetitions), by slice. */
  refusals: z.record(sliceSchema, matrixSchema),
  /** Per judge, the first one gates: expected = judged + unjudged; bounds count every unjudged as no, as yes. */
  judging: z.array(
    z.object({
      judge: z.string(),
      model: z.string(),
      expected: z.number().int(),
      judged: z.number().int(),
      unjudged: z.number().int(),
      faithfulness: z.number().nullable(),
      worst: z.number().nullable(),
      best: z.number().nullable(),
    }),
  ),
  usage: z.object({
    answers: z.number().int(),
    with_usage: z.number().int(),
    prompt_tokens: z.number(),
    completion_tokens: z.number(),
    cached_tokens: z.number(),
    cost_usd: z.number().nullable(),
  }),
});
export type Summary = z.infer<typeof summarySchema>;

type Labels = { kind: Kind; files: string[]; key_facts: KeyFact[] };

function labelProblems(item: Labels): [string, string][] {
  const found: [string, string][] = [];
  if (isAnswerable(item)) {
    const least = item.kind === 'multi_source' ? 2 : 1;
    if (item.files.length < least)
      found.push(['files', `a ${item.kind} case names at least ${least} file(s) that answer it`]);
    if (!item.key_facts.some((fact) => fact.vital)) found.push(['key_facts', 'needs at least one vital fact']);
  } else {
    if (item.files.length > 0) found.push(['files', `must be empty for a case of kind ${item.kind}`]);
    if (item.key_facts.length > 0) found.push(['key_facts', `must be empty for a case of kind ${item.kind}`]);
  }
  if (new Set(item.files).size < item.files.length) found.push(['files', 'names a file twice']);
  return found;
}
