/**
 * How far a judge agrees with a person who read the passages. A sample of cited claims is graded without showing the judge's answer;
 * the grades are kept with what they were given for, and are stale once the judge or its prompt is another.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import seedrandom from 'seedrandom';
import { z } from 'zod';
import { CodedError } from '../service/contract.ts';
import { readText } from './jsonl.ts';
import { judgeContext } from './judge.ts';
import { type ClaimStatus, faithfulness } from './metrics/faithfulness.ts';
import { answerKey, passageHash, type RunRecords, readRun, writeJson } from './run.ts';
import { type JudgeInfo, SCHEMA_VERSION } from './schema.ts';
import { takeAllApart, verdictsByAnswer } from './score.ts';

const itemSchema = z.object({
  case_id: z.string(),
  run: z.number().int(),
  sentence: z.number().int(),
  claim: z.string(),
  answer_hash: z.string(),
  /** What the claim cites, as the judge was shown it. */
  passages: z.array(z.object({ citation: z.number().int(), passage_hash: z.string(), context: z.string() })),
  /** Whether the passages together support the claim, by the person; null until graded. */
  label: z.enum(['faithful', 'unfaithful']).nullable(),
  remark: z.string().optional(),
});
export type AgreementItem = z.infer<typeof itemSchema>;

const sampleSchema = z.object({
  v: z.literal(SCHEMA_VERSION),
  judge: z.object({ name: z.string(), model: z.string(), fingerprint: z.string() }),
  kind: z.enum(['random', 'stratified']),
  seed: z.string(),
  /** How many claims there were to draw from, by the judge's answer. */
  strata: z.object({ supported: z.number().int(), unsupported: z.number().int() }),
  /** Who read and graded. */
  reference_by: z.string().nullable(),
  items: z.array(itemSchema),
});
export type AgreementSample = z.infer<typeof sampleSchema>;

/** A claim with what the judge made of it. */
export interface JudgedClaim {
  item: AgreementItem;
  status: ClaimStatus;
}

export function agreementPath(dir: string, judge: string): string {
  return join(dir, `agreement-${judge}.json`);
}

/** Draws `n` cited, judged claims; stratified: half of them supported by the judge, half not, as far as there are. */
export function drawSample(
  records: RunRecords,
  judge: JudgeInfo,
  n: number,
  kind: AgreementSample['kind'],
  seed: string,
): AgreementSample {
  const all = shuffled(
    judgedClaims(records, judge).filter((claim) => claim.status !== 'unjudged'),
    seed,
  );
  const [yes, no] = [
    all.filter((claim) => claim.status === 'supported'),
    all.filter((claim) => claim.status === 'unsupported'),
  ];
  const half = Math.min(no.length, Math.max(Math.floor(n / 2), n - yes.length));
  const chosen = kind === 'random' ? all.slice(0, n) : [...yes.slice(0, n - half), ...no.slice(0, half)];
  return {
    v: SCHEMA_VERSION,
    judge: { name: judge.name, model: judge.model, fingerprint: judge.fingerprint },
    kind,
    seed,
    strata: { supported: yes.length, unsupported: no.length },
    reference_by: null,
    // Mixed once more: the order must not give the judge's answer away.
    items: shuffled(chosen, `${seed}/order`).map((claim) => claim.item),
  };
}

export function readSample(path: string): AgreementSample {
  const text = readText(path, 'the sample');
  const parsed = sampleSchema.safeParse(parse(text, path));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new CodedError('bad_input', `${path}: ${issue?.path.join('.')}: ${issue?.message}`);
}

export function writeSample(path: string, sample: AgreementSample): void {
  writeJson(path, sample);
}

/** Every cited claim of a run with the judge's answer, in order. */
export function judgedClaims(records: RunRecords, judge: JudgeInfo): JudgedClaim[] {
  const verdicts = verdictsByAnswer(records, judge);
  return [...takeAllApart(records).values()].flatMap((answered) => {
    const { case_id, run, answer_hash } = answered.record;
    const { claims } = faithfulness(answered, verdicts.get(answerKey(answered.record)) ?? []);
    return answered.claims.flatMap((claim, sentence) => {
      if (claim.citations.length === 0) return [];
      const passages = answered.shown
        .filter((source) => claim.citations.includes(source.n))
        .map((source) => ({ citation: source.n, passage_hash: passageHash(source), context: judgeContext(source) }));
      const item = { case_id, run, sentence, claim: claim.text, answer_hash, passages, label: null };
      return [{ item, status: claims[sentence] ?? 'unjudged' }];
    });
  });
}

/** One sentence for each graded sample of a run that no longer says anything about its judge or its answers. */
export function staleAgreements(dir: string): string[] {
  if (!existsSync(dir)) return [];
  const files = readdirSync(dir).filter((file) => /^agreement-.+\.json$/.test(file));
  if (files.length === 0) return [];
  const records = readRun(dir);
  return files.flatMap((file) => {
    const sample = readSample(join(dir, file));
    const judge = records.manifest.judges.find((info) => info.name === sample.judge.name);
    if (judge?.fingerprint !== sample.judge.fingerprint) {
      return [
        `${file}: was graded for another version of judge ${sample.judge.name} (its model, prompt or settings changed); grade again`,
      ];
    }
    const known = new Set(records.answers.map((record) => `${answerKey(record)}:${record.answer_hash}`));
    const lost = sample.items.filter((item) => !known.has(`${answerKey(item)}:${item.answer_hash}`)).length;
    return lost === 0
      ? []
      : [`${file}: ${lost} of its claims are not among the answers any more; draw and grade again`];
  });
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CodedError('bad_input', `${path} is not valid JSON`, { cause });
  }
}

function shuffled<T>(items: readonly T[], seed: string): T[] {
  const random = seedrandom(seed);
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
