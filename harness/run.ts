/** A run folder: reading, writing, and the hashes that bind verdict, answer, passages and case. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, CodedError, type Passage, type Source } from '../service/contract.ts';
import { loadCases } from './cases.ts';
import { hashOf } from './hash.ts';
import { type Line, readJournal } from './jsonl.ts';
import {
  type AnswerRecord,
  answerRecordSchema,
  type Case,
  type Manifest,
  manifestSchema,
  type RetrievalRecord,
  retrievalRecordSchema,
  SCHEMA_VERSION,
  type Verdict,
  verdictSchema,
} from './schema.ts';

/** Everything a summary is computed from, in the order of the cases, then of the repetitions. */
export interface RunRecords {
  manifest: Manifest;
  cases: Case[];
  answers: AnswerRecord[];
  retrievals: RetrievalRecord[];
  /** Verdicts of every judge there ever was; see `verdictsOf`. */
  verdicts: Verdict[];
}

export const RUN_FILES = {
  manifest: 'manifest.json',
  cases: 'cases.jsonl',
  answers: 'answers.jsonl',
  retrieval: 'retrieval.jsonl',
  verdicts: 'verdicts.jsonl',
  summary: 'summary.json',
  report: 'report.md',
  timings: 'timings.json',
} as const;

/** Reads a run folder; throws `bad_input` with a sentence when it is none, or a line of it cannot be read. */
export function readRun(dir: string): RunRecords {
  const manifest = readManifest(dir);
  const cases = loadCases(join(dir, RUN_FILES.cases));
  const order = new Map(cases.map((item, index) => [item.id, index]));
  const rank = (id: string) => order.get(id) ?? cases.length;
  const answers = values(readJournal(join(dir, RUN_FILES.answers), answerRecordSchema));
  const retrievals = values(readJournal(join(dir, RUN_FILES.retrieval), retrievalRecordSchema));
  const verdicts = values(readJournal(join(dir, RUN_FILES.verdicts), verdictSchema));
  answers.sort((a, b) => rank(a.case_id) - rank(b.case_id) || a.run - b.run);
  retrievals.sort((a, b) => rank(a.case_id) - rank(b.case_id));
  verdicts.sort(
    (a, b) => rank(a.case_id) - rank(b.case_id) || a.run - b.run || a.sentence - b.sentence || a.citation - b.citation,
  );
  return { manifest, cases, answers, retrievals, verdicts };
}

export function runExists(dir: string): boolean {
  return existsSync(join(dir, RUN_FILES.manifest));
}

export function readManifest(dir: string): Manifest {
  const path = join(dir, RUN_FILES.manifest);
  if (!existsSync(path))
    throw new CodedError('bad_input', `${dir} is not a run folder: it has no ${RUN_FILES.manifest}`);
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CodedError('bad_input', `${path} cannot be read as a manifest of version ${SCHEMA_VERSION}: ${why}`, {
      cause,
    });
  }
}

/** Writes the manifest, and beside it the cases as they are asked. */
export function createRun(dir: string, manifest: Manifest, cases: Case[]): void {
  mkdirSync(dir, { recursive: true });
  writeAtomic(join(dir, RUN_FILES.cases), cases.map((item) => `${JSON.stringify(item)}\n`).join(''));
  writeManifest(dir, manifest);
}

export function writeManifest(dir: string, manifest: Manifest): void {
  writeJson(join(dir, RUN_FILES.manifest), manifest);
}

/** A reader sees the old file or the new one, never half of one. */
export function writeAtomic(path: string, text: string): void {
  writeFileSync(`${path}.part`, text);
  renameSync(`${path}.part`, path);
}

export function writeJson(path: string, value: unknown): void {
  writeAtomic(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Hash of a passage as a judge sees it: where it is from, under which headings, and what it says. */
export function passageHash({
  source,
  title,
  heading,
  text,
}: Pick<Passage, 'source' | 'title' | 'heading' | 'text'>): string {
  return hashOf({ source, title, heading, text });
}

/** Hash of what was said and shown. Times, costs and trace ids change on every run and are left out. */
export function answerHash(said: { answer: Answer | null; sources: Source[]; error: AnswerRecord['error'] }): string {
  const { answer, sources, error } = said;
  return hashOf({
    text: answer?.answer ?? null,
    refusal: answer?.refusal ?? null,
    truncated: answer?.truncated ?? null,
    sources: sources.map((source) => [source.n, source.used, passageHash(source)]),
    error: error === null ? null : { stage: error.stage, code: error.code },
  });
}

/** Closes a record: `hash` covers every other field. */
export function sealed<T extends object>(record: T): T & { hash: string } {
  return { ...record, hash: hashOf(record) };
}

export function isSealIntact(record: { hash: string }): boolean {
  const { hash, ...rest } = record;
  return hashOf(rest) === hash;
}

/** One hash over all records of a phase, whatever their order. */
export function sealOf(records: { hash: string }[]): string {
  return hashOf(records.map((record) => record.hash).sort());
}

/** The verdicts of one judge that belong to the answers as they are; one on an earlier answer is not counted. */
export function verdictsOf(records: Pick<RunRecords, 'answers' | 'verdicts'>, fingerprint: string): Verdict[] {
  const current = new Map(records.answers.map((record) => [answerKey(record), record.answer_hash]));
  return records.verdicts.filter(
    (item) => item.judge === fingerprint && current.get(answerKey(item)) === item.answer_hash,
  );
}

export function answerKey(record: { case_id: string; run: number }): string {
  return `${record.case_id}#${record.run}`;
}

function values<T>(lines: Line<T>[]): T[] {
  return lines.map((line) => line.value);
}
