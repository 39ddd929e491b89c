/** Phase 1: asks every case, writes one record each. What is written is never asked again, so a killed run goes on where it was. */
import { join } from 'node:path';
import seedrandom from 'seedrandom';
import { CodedError, type Passage } from '../service/contract.ts';
import { caseHash, casesHash } from './cases.ts';
import { openJournal } from './jsonl.ts';
import { runPool } from './pool.ts';
import {
  answerHash,
  answerKey,
  createRun,
  passageHash,
  RUN_FILES,
  readRun,
  runExists,
  sealed,
  sealOf,
  writeManifest,
} from './run.ts';
import { type AnswerRecord, type Case, type Manifest, type RetrievalRecord, SCHEMA_VERSION } from './schema.ts';
import { connectionError } from './targets/http.ts';
import { type Asked, GONE, type Target } from './targets/target.ts';

/** How deep retrieval is recorded. */
const RETRIEVAL_K = 10;

export interface AnswerOptions {
  dir: string;
  cases: Case[];
  manifest: Manifest;
  target: Target;
  concurrency: number;
  signal: AbortSignal;
  onProgress?: (done: number, total: number, label: string) => void;
}

export interface AnswerOutcome {
  total: number;
  done: number;
  /** Answered now, as opposed to found in the folder. */
  asked: number;
  errors: number;
  interrupted: boolean;
}

export async function answerCases(options: AnswerOptions): Promise<AnswerOutcome> {
  const { dir, cases, signal } = options;
  prepareFolder(options);
  const before = readRun(dir);
  const known = new Set(before.answers.map(answerKey));
  const pending = schedule(cases, before.manifest).filter((item) => !known.has(answerKey(item)));
  await recordRetrieval(options, new Set(before.retrievals.map((record) => record.case_id)));
  const total = cases.length * before.manifest.runs;
  const asked = await askPending(options, pending, total);
  const after = readRun(dir);
  const done = after.answers.length;
  if (done === total && !signal.aborted) sealPhase(dir);
  const errors = after.answers.filter((record) => record.status === 'error').length;
  return { total, done, asked, errors, interrupted: signal.aborted };
}

/** Repetition by repetition; shuffled with the manifest's seed when there are several, so that order is no constant of the runs. */
export function schedule(cases: Case[], manifest: Manifest): { case_id: string; run: number }[] {
  const plan: { case_id: string; run: number }[] = [];
  for (let run = 1; run <= manifest.runs; run += 1) {
    const ids = cases.map((item) => item.id);
    if (manifest.cases.order === 'shuffled') shuffle(ids, seedrandom(`${manifest.cases.seed}/${run}`));
    plan.push(...ids.map((case_id) => ({ case_id, run })));
  }
  return plan;
}

/** Creates the folder, or checks that the run in it is this one. */
function prepareFolder({ dir, cases, manifest }: AnswerOptions): void {
  if (!runExists(dir)) {
    createRun(dir, manifest, cases);
    return;
  }
  const found = readRun(dir).manifest;
  const other = [
    found.cases.hash !== casesHash(cases) && 'other cases',
    found.runs !== manifest.runs && `${found.runs} repetition(s)`,
    found.service.provider !== manifest.service.provider && `provider ${found.service.provider}`,
    found.service.model !== manifest.service.model && `model ${found.service.model}`,
    found.corpus.hash !== manifest.corpus.hash && 'another index',
    JSON.stringify(found.service.settings) !== JSON.stringify(manifest.service.settings) && 'other settings',
  ].filter((reason) => reason !== false);
  if (other.length > 0) {
    throw new CodedError('bad_input', `${dir} holds a run with ${other.join(', ')}; choose another folder with --out`);
  }
}

async function recordRetrieval(options: AnswerOptions, known: Set<string>): Promise<void> {
  const { cases, target, signal } = options;
  const search = target.search;
  if (search === null) return;
  const journal = openJournal<RetrievalRecord>(join(options.dir, RUN_FILES.retrieval));
  try {
    const pending = cases.filter((item) => !known.has(item.id));
    let done = known.size;
    await runPool(pending, options.concurrency, signal, async (item) => {
      journal.append(await searchCase(item, search, signal));
      done += 1;
      options.onProgress?.(done, cases.length, 'searching');
    });
  } finally {
    journal.close();
  }
}

async function searchCase(
  item: Case,
  search: NonNullable<Target['search']>,
  signal: AbortSignal,
): Promise<RetrievalRecord> {
  const base = { v: SCHEMA_VERSION, case_id: item.id, case_hash: caseHash(item), k: RETRIEVAL_K } as const;
  try {
    const { passages, ungated, mode, retrieval_ms } = await search(item.question, RETRIEVAL_K, signal);
    return sealed({ ...base, passages: passages.map(brief), ungated, mode, retrieval_ms, error: null });
  } catch (error) {
    signal.throwIfAborted();
    const connection = connectionError(error);
    if (connection.code === GONE) throw gone(connection.message);
    const why = error instanceof Error ? error.message : String(error);
    return sealed({ ...base, passages: [], ungated: false, mode: 'unknown' as const, retrieval_ms: 0, error: why });
  }
}

function brief(passage: Passage) {
  const { source, start, end, cosine, bm25, fusion } = passage;
  return { source, start, end, cosine, bm25, fusion, passage_hash: passageHash(passage) };
}

async function askPending(
  options: AnswerOptions,
  pending: { case_id: string; run: number }[],
  total: number,
): Promise<number> {
  const byId = new Map(options.cases.map((item) => [item.id, item]));
  const journal = openJournal<AnswerRecord>(join(options.dir, RUN_FILES.answers));
  let asked = 0;
  try {
    await runPool(pending, options.concurrency, options.signal, async ({ case_id, run }) => {
      const item = byId.get(case_id);
      if (item === undefined) return;
      const outcome = await options.target.ask(item.question, options.signal);
      // Nobody there says nothing about the answer: no record, so that the next start asks again.
      if (outcome.error?.code === GONE) throw gone(outcome.error.message);
      journal.append(toRecord(item, run, outcome));
      asked += 1;
      options.onProgress?.(total - pending.length + asked, total, 'answering');
    });
  } finally {
    journal.close();
  }
  return asked;
}

function gone(why: string): CodedError {
  return new CodedError(
    'unavailable',
    `the service is gone (${why}); what it answered is kept, start it and run the same command to go on`,
  );
}

function toRecord(item: Case, run: number, asked: Asked): AnswerRecord {
  const status = asked.answer === null ? ('error' as const) : ('answered' as const);
  return sealed({
    v: SCHEMA_VERSION,
    case_id: item.id,
    run,
    case_hash: caseHash(item),
    status,
    ...asked,
    answer_hash: answerHash(asked),
  });
}

function sealPhase(dir: string): void {
  const { manifest, answers, retrievals } = readRun(dir);
  const seals = { ...manifest.seals, answers: sealOf(answers), retrieval: sealOf(retrievals) };
  writeManifest(dir, { ...manifest, seals });
}

function shuffle(items: string[], random: () => number): void {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [items[last], items[other]] = [items[other] as string, items[last] as string];
  }
}
