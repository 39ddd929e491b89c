/** The phases of an evaluation as the commands run them: answer, judge, finish; each returns an exit code. */
import { existsSync } from 'node:fs';
import { answerCases } from '../harness/answer.ts';
import { loadCases } from '../harness/cases.ts';
import { finishRun } from '../harness/finish.ts';
import { judgeRun } from '../harness/judge.ts';
import type { Judge } from '../harness/judges/judge.ts';
import { planRun } from '../harness/plan.ts';
import { failuresOf } from '../harness/report/failures.ts';
import { type RunRecords, readManifest, readRun, runExists } from '../harness/run.ts';
import type { Case } from '../harness/schema.ts';
import { askdocsTarget } from '../harness/targets/askdocs.ts';
import { openAiTarget } from '../harness/targets/openai.ts';
import type { Target } from '../harness/targets/target.ts';
import { timingsOf } from '../harness/timings.ts';
import { CodedError } from '../service/contract.ts';
import { type EvalService, serviceFor } from './eval-service.ts';
import { interruptible } from './interrupt.ts';
import { withJudge } from './judge-server.ts';
import type { JudgeArgs } from './judges.ts';
import { createProgress } from './progress.ts';
import { writeReportPage } from './report-page.ts';
import { metricsTable, printJson, timingsTable } from './tables.ts';
import { wholeNumber } from './whole-number.ts';

export interface AnswerArgs {
  cases: string;
  db?: string | undefined;
  url?: string | undefined;
  api: string;
  model?: string | undefined;
  runs: string;
  seed: string;
  only?: string | undefined;
  failed?: string | undefined;
  concurrency?: string | undefined;
  answerGguf?: string | undefined;
  slots: string;
  out: string;
}

export async function answerPhase(args: AnswerArgs): Promise<number> {
  const cases = chooseCases(args);
  const [runs, slots] = [wholeNumber('--runs', args.runs), wholeNumber('--slots', args.slots)];
  return interruptible(async (signal) => {
    const service = await serviceFor({ ...args, runs, slots }, signal);
    try {
      return await answerFrom(service, args, cases, runs, signal);
    } finally {
      await service.close();
    }
  });
}

export async function judgePhase(dir: string, args: JudgeArgs): Promise<number> {
  readManifest(dir);
  return interruptible(async (signal) => {
    return withJudge(args, signal, (judge) => judgeWith(dir, judge, signal));
  });
}

export function finishPhase(dir: string, format: string): number {
  const { records, summary } = finishRun(dir);
  const page = writeReportPage({ dir, records, summary });
  if (format === 'json') printJson(summary);
  else
    process.stdout.write(
      `${metricsTable(summary)}\n\n${timingsTable(timingsOf(records))}\n\n${whereTo(page, records)}\n`,
    );
  return 0;
}

async function answerFrom(
  service: EvalService,
  args: AnswerArgs,
  cases: Case[],
  runs: number,
  signal: AbortSignal,
): Promise<number> {
  const target = targetOf(service.url, args);
  const described = await target.describe(signal);
  const concurrency =
    args.concurrency === undefined ? described.maxConcurrent : wholeNumber('--concurrency', args.concurrency);
  const manifest = planRun({
    cases,
    casesPath: args.cases,
    runs,
    seed: args.seed,
    url: args.url ?? null,
    db: service.db,
    described,
    cwd: process.cwd(),
    now: new Date(),
  });
  const progress = createProgress();
  const outcome = await answerCases({
    dir: args.out,
    cases,
    manifest,
    target,
    concurrency,
    signal,
    onProgress: progress.update,
  });
  if (outcome.interrupted) {
    progress.end(
      `Stopped: ${outcome.done} of ${outcome.total} answers are kept in ${args.out}. The same command with --out ${args.out} goes on.`,
    );
    return 130;
  }
  const errors = outcome.errors === 0 ? '' : `, ${outcome.errors} of all are errors`;
  progress.end(`${outcome.done} answers in ${args.out} (${outcome.asked} asked now${errors}).`);
  if (outcome.errors < outcome.total) return 0;
  const first = readRun(args.out).answers[0]?.error;
  throw new CodedError(
    'unavailable',
    `every answer was an error, the first in ${first?.stage}: ${first?.message}; nothing to judge in ${args.out}`,
  );
}

/** An endpoint of `--api openai` is any that returns its sources with the answer. */
function targetOf(url: string, args: AnswerArgs): Target {
  if (args.api === 'askdocs') return askdocsTarget(url);
  if (args.url === undefined)
    throw new CodedError('bad_input', '--api openai needs the --url of the endpoint, up to and with /v1');
  return openAiTarget({ baseUrl: url, model: args.model ?? 'default', apiKey: process.env.ASKDOCS_TARGET_API_KEY });
}

async function judgeWith(dir: string, judge: Judge, signal: AbortSignal): Promise<number> {
  const progress = createProgress();
  const outcome = await judgeRun({ dir, judge, signal, onProgress: progress.update });
  if (outcome.interrupted) {
    progress.end(
      `Stopped: ${outcome.done} of ${outcome.total} verdicts are kept in ${dir}. askdocs eval judge --out ${dir} goes on.`,
    );
    return 130;
  }
  const unjudged = outcome.unjudged === 0 ? '' : `, ${outcome.unjudged} unjudged`;
  progress.end(`${outcome.done} verdicts by ${judge.info.name} (${outcome.asked} asked now${unjudged}).`);
  return 0;
}

function whereTo(page: string, records: RunRecords): string {
  const failed = new Set(failuresOf(records).map((failure) => failure.case_id)).size;
  return `${failed} of ${records.cases.length} cases have something to look at: ${page}`;
}

function chooseCases(args: AnswerArgs): Case[] {
  const all = runExists(args.out) && !existsSync(args.cases) ? readRun(args.out).cases : loadCases(args.cases);
  const only = args.only?.split(',').map((id) => id.trim());
  const unknown = only?.find((id) => !all.some((item) => item.id === id));
  if (unknown !== undefined) throw new CodedError('bad_input', `--only: ${args.cases} has no case "${unknown}"`);
  const failed =
    args.failed === undefined ? null : new Set(failuresOf(readRun(args.failed)).map((item) => item.case_id));
  const chosen = all.filter((item) => (only?.includes(item.id) ?? true) && (failed?.has(item.id) ?? true));
  if (chosen.length > 0) return chosen;
  throw new CodedError('bad_input', `no case of ${args.cases} failed in ${args.failed}; nothing to ask`);
}
