/** Writes real run folders for tests: what a service would have said, recorded and judged by the harness's own code. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, Source } from '../../../service/contract.ts';
import { caseHash, casesHash } from '../../cases.ts';
import { openJournal } from '../../jsonl.ts';
import { judgeRun } from '../../judge.ts';
import { lexicalJudge } from '../../judges/lexical.ts';
import { answerHash, createRun, passageHash, RUN_FILES, readRun, sealed, sealOf, writeManifest } from '../../run.ts';
import {
  type AnswerRecord,
  type Case,
  caseSchema,
  type Manifest,
  type RetrievalRecord,
  SCHEMA_VERSION,
} from '../../schema.ts';

/** What one case gets said in one repetition. */
export interface Said {
  text: string;
  refused?: boolean;
  /** The request failed. */
  error?: boolean;
  /** Files of the passages shown, in order; each has the text of `passageOf`. */
  shown: string[];
}

export interface WrittenRun {
  cases?: Case[];
  runs?: number;
  say?: (item: Case, run: number) => Said;
  manifest?: (manifest: Manifest) => Manifest;
  judge?: boolean;
}

const NONE = 'The documents do not say.';
const ZERO_HASH = '0'.repeat(32);

/** Twelve factual cases, two of two files, ten that must be refused. */
export function someCases(): Case[] {
  const factual = Array.from({ length: 12 }, (_, i) => answerable(i, [`f${i}.md`]));
  const multi = [12, 13].map((i) => answerable(i, [`f${i}.md`, `g${i}.md`]));
  const refused = Array.from({ length: 10 }, (_, i) =>
    caseSchema.parse({
      id: `none-${i}`,
      kind: i % 2 ? 'off_topic' : 'unanswerable',
      split: i % 2 ? 'test' : 'dev',
      question: `What is the colour of part ${i}?`,
      files: [],
      key_facts: [],
    }),
  );
  return [...factual, ...multi, ...refused];
}

export function passageOf(file: string): string {
  return `The timeout of ${file.replace('.md', '')} is ${secondsOf(file)} seconds by default.`;
}

/** Every answerable question answered with its passages cited, every other one refused. */
export function sayRight(item: Case): Said {
  if (item.files.length === 0) return { text: NONE, refused: true, shown: [] };
  return { text: item.files.map((file, i) => `${passageOf(file)} [${i + 1}]`).join(' '), shown: item.files };
}

export async function writeRunFolder(dir: string, written: WrittenRun = {}): Promise<string> {
  const { cases = someCases(), runs = 1, say = sayRight, judge = true } = written;
  const manifest = manifestOf(cases, runs);
  createRun(dir, written.manifest?.(manifest) ?? manifest, cases);
  const answers = openJournal<AnswerRecord>(join(dir, RUN_FILES.answers));
  const retrievals = openJournal<RetrievalRecord>(join(dir, RUN_FILES.retrieval));
  for (const item of cases) {
    for (let run = 1; run <= runs; run++) answers.append(answerRecord(item, run, say(item, run)));
    retrievals.append(retrievalRecord(item, say(item, 1)));
  }
  answers.close();
  retrievals.close();
  reseal(dir);
  if (judge) await judgeRun({ dir, judge: lexicalJudge(), signal: new AbortController().signal });
  return dir;
}

/** Signs whatever answers and retrievals there are, as a run that had made them would. */
export function reseal(dir: string): void {
  const { manifest, answers, retrievals } = readRun(dir);
  const seals = { ...manifest.seals, answers: sealOf(answers), retrieval: sealOf(retrievals) };
  writeManifest(dir, { ...manifest, seals });
}

export function writeCases(path: string, cases: readonly Case[]): void {
  writeFileSync(path, cases.map((item) => `${JSON.stringify(item)}\n`).join(''));
}

function answerable(i: number, files: string[]): Case {
  return caseSchema.parse({
    id: `part-${i}`,
    kind: files.length > 1 ? 'multi_source' : 'factual',
    split: i % 2 ? 'test' : 'dev',
    question: `How long does part ${i} wait?`,
    files,
    key_facts: [
      ...files.map((file) => ({ any: [`${secondsOf(file)} seconds`] })),
      { any: [`timeout of ${files[0]?.replace('.md', '')}`], vital: false },
    ],
  });
}

function secondsOf(file: string): number {
  return Number(file.replace(/\D/g, '')) + (file.startsWith('g') ? 130 : 30);
}

function sourceOf(file: string, n: number): Source {
  const text = passageOf(file);
  const scores = { cosine: null, bm25: 5, fusion: null };
  return { n, used: true, source: file, title: '', heading: [], start: 0, end: text.length, text, ...scores };
}

function answerRecord(item: Case, run: number, { text, refused = false, error = false, shown }: Said): AnswerRecord {
  const sources = shown.map((file, i) => sourceOf(file, i + 1));
  const cited = [...new Set([...text.matchAll(/\[(\d+)\]/g)].map((match) => Number(match[1])))].sort((a, b) => a - b);
  const answer: Answer = {
    answer: text,
    citations: cited.filter((n) => n <= sources.length),
    invalid_citations: cited.filter((n) => n > sources.length),
    refused,
    refusal: refused ? 'gate' : null,
    truncated: false,
    usage: null,
    timings: { retrieval_ms: 1, ttft_ms: 2, generation_ms: 1, total_ms: 3 },
    trace_id: 'trace',
    cost_usd: 0,
    evidence: [],
    nearest: [],
  };
  const failure = { stage: 'generation' as const, code: 'generation_failed', message: 'the model failed' };
  const said = error ? { answer: null, sources, error: failure } : { answer, sources, error: null };
  return sealed({
    v: SCHEMA_VERSION,
    case_id: item.id,
    run,
    case_hash: caseHash(item),
    status: error ? ('error' as const) : ('answered' as const),
    ...said,
    client: { ttft_ms: 2, total_ms: 3, attempts: 1, token_events: 1 },
    answer_hash: answerHash(said),
  });
}

function retrievalRecord(item: Case, { shown }: Said): RetrievalRecord {
  const passages = shown.map((file, i) => {
    const passage = sourceOf(file, i + 1);
    const { source, start, end, cosine, bm25, fusion } = passage;
    return { source, start, end, cosine, bm25, fusion, passage_hash: passageHash(passage) };
  });
  const base = { v: SCHEMA_VERSION, case_id: item.id, case_hash: caseHash(item), k: 10 } as const;
  return sealed({ ...base, passages, ungated: true, mode: 'lexical' as const, retrieval_ms: 1, error: null });
}

function manifestOf(cases: Case[], runs: number): Manifest {
  return {
    v: SCHEMA_VERSION,
    cases: { path: 'cases.jsonl', hash: casesHash(cases), count: cases.length, order: 'file', seed: '' },
    runs,
    service: { started: true, url: null, provider: 'extractive', model: 'extractive', search: 'lexical', settings: {} },
    corpus: { db: 'docs.db', hash: ZERO_HASH, stats: null },
    judges: [],
    seals: { answers: null, retrieval: null, verdicts: null },
    versions: {},
    git: null,
    hardware: { cpu: 'test', cores: 1, memory_gib: 1, platform: 'test' },
    created: '2026-12-02T00:00:00.000Z',
  };
}
