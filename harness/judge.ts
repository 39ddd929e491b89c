/** Phase 2: asks a judge about every cited sentence. Reads answers, writes verdicts; nothing is answered again. */
import { join } from 'node:path';
import type { Source } from '../service/contract.ts';
import { type ExpectedVerdict, expectedVerdicts, verdictKey } from './expected.ts';
import { openJournal } from './jsonl.ts';
import type { Judge, Ruling } from './judges/judge.ts';
import { runPool } from './pool.ts';
import { passageHash, RUN_FILES, type RunRecords, readRun, sealed, sealOf, writeManifest } from './run.ts';
import { type JudgeInfo, type Manifest, SCHEMA_VERSION, type Verdict } from './schema.ts';

export interface JudgeOptions {
  dir: string;
  judge: Judge;
  signal: AbortSignal;
  onProgress?: (done: number, total: number, label: string) => void;
}

export interface JudgeOutcome {
  total: number;
  done: number;
  /** Questions put to the judge now, as opposed to found in the folder or taken over from the same answer. */
  asked: number;
  unjudged: number;
  interrupted: boolean;
}

export async function judgeRun(options: JudgeOptions): Promise<JudgeOutcome> {
  const { dir, judge, signal } = options;
  enterJudge(dir, judge.info);
  const records = readRun(dir);
  const expected = expectedVerdicts(records);
  const own = currentVerdicts(records, judge.info, expected);
  const asked = await judgePending(options, records, expected, own);
  const after = readRun(dir);
  const verdicts = currentVerdicts(after, judge.info, expected);
  if (verdicts.size === expected.length && !signal.aborted) sealVerdicts(dir);
  const unjudged = [...verdicts.values()].filter((verdict) => verdict.status === 'unjudged').length;
  return { total: expected.length, done: verdicts.size, asked, unjudged, interrupted: signal.aborted };
}

/** What a judge is shown: the headings over a passage are part of what it says. */
export function judgeContext(source: Pick<Source, 'title' | 'heading' | 'text'>): string {
  const path = [...new Set([source.title, ...source.heading])].filter((part) => part !== '');
  return path.length === 0 ? source.text : `${path.join(' > ')}\n\n${source.text}`;
}

/** Adds the judge to the manifest; one of the same name whose model, prompt or settings changed takes its place. */
function enterJudge(dir: string, info: JudgeInfo): void {
  const { manifest } = readRun(dir);
  const at = manifest.judges.findIndex((judge) => judge.name === info.name);
  if (manifest.judges[at]?.fingerprint === info.fingerprint) return;
  const judges = at < 0 ? [...manifest.judges, info] : manifest.judges.with(at, info);
  writeManifest(dir, { ...manifest, judges, seals: { ...manifest.seals, verdicts: null } });
}

function currentVerdicts(records: RunRecords, info: JudgeInfo, expected: ExpectedVerdict[]): Map<string, Verdict> {
  const wanted = new Map(expected.map((item) => [verdictKey(item), item]));
  const current = new Map<string, Verdict>();
  for (const verdict of records.verdicts) {
    const item = wanted.get(verdictKey(verdict));
    if (verdict.judge !== info.fingerprint || item === undefined) continue;
    if (item.answer_hash === verdict.answer_hash && item.passage_hash === verdict.passage_hash) {
      current.set(verdictKey(verdict), verdict);
    }
  }
  return current;
}

async function judgePending(
  options: JudgeOptions,
  records: RunRecords,
  expected: ExpectedVerdict[],
  own: Map<string, Verdict>,
): Promise<number> {
  const { judge, signal } = options;
  const contexts = contextsOf(records);
  const rulings = new Map(
    [...own.values()].map((verdict) => [contentKey(verdict), Promise.resolve(toRuling(verdict))]),
  );
  const journal = openJournal<Verdict>(join(options.dir, RUN_FILES.verdicts));
  let done = own.size;
  let asked = 0;
  const settle = async (item: ExpectedVerdict) => {
    const key = contentKey(item);
    if (!rulings.has(key)) {
      asked += 1;
      const context = contexts.get(item.passage_hash) ?? '';
      rulings.set(key, judge.judge({ claim: item.text, context }, signal));
    }
    const ruling = await (rulings.get(key) as Promise<Ruling>);
    journal.append(sealed({ v: SCHEMA_VERSION, ...item, judge: judge.info.fingerprint, ...ruling }));
    done += 1;
    options.onProgress?.(done, expected.length, 'judging');
  };
  try {
    const groups = byPassage(expected.filter((item) => !own.has(verdictKey(item))));
    // Questions on one passage follow each other: the first fills the prefix cache of a slot, the others find it there.
    await runPool(groups, judge.concurrency, signal, async (group) => {
      for (const item of group) {
        if (signal.aborted) return;
        await settle(item);
      }
    });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    journal.close();
  }
  return asked;
}

/** Questions on one passage stand together, in the order in which the passages first come up. */
function byPassage(items: ExpectedVerdict[]): ExpectedVerdict[][] {
  const groups = new Map<string, ExpectedVerdict[]>();
  for (const item of items) {
    const group = groups.get(item.passage_hash) ?? [];
    groups.set(item.passage_hash, group);
    group.push(item);
  }
  return [...groups.values()];
}

/** A ruling is taken over only for the same answer, sentence and passage; judge, model and prompt are the fingerprint's. */
function contentKey(item: Pick<Verdict, 'case_id' | 'answer_hash' | 'sentence' | 'passage_hash'>): string {
  return `${item.answer_hash}:${item.sentence}:${item.passage_hash}`;
}

function toRuling(verdict: Verdict): Ruling {
  const { supported, score, reason } = verdict;
  if (supported === null) return { status: 'unjudged', supported, score: null, reason: reason ?? 'no reason given' };
  return { status: 'judged', supported, score, reason };
}

function contextsOf(records: RunRecords): Map<string, string> {
  const sources = records.answers.flatMap((record) => record.sources);
  return new Map(sources.map((source) => [passageHash(source), judgeContext(source)]));
}

function sealVerdicts(dir: string): void {
  const { manifest, verdicts } = readRun(dir);
  const fingerprints = new Set(manifest.judges.map((judge) => judge.fingerprint));
  const current = verdicts.filter((verdict) => fingerprints.has(verdict.judge));
  const next: Manifest = { ...manifest, seals: { ...manifest.seals, verdicts: sealOf(current) } };
  writeManifest(dir, next);
}
