/** `askdocs eval`: asks the cases, judges the answers, computes the numbers. Joins service and harness. */
import { existsSync } from 'node:fs';
import { defineCommand } from 'citty';
import { answerCases } from '../../harness/answer.ts';
import { loadCases } from '../../harness/cases.ts';
import { finishRun } from '../../harness/finish.ts';
import { judgeRun } from '../../harness/judge.ts';
import { planRun } from '../../harness/plan.ts';
import { failuresOf } from '../../harness/report/failures.ts';
import { type RunRecords, readManifest, readRun, runExists } from '../../harness/run.ts';
import type { Case } from '../../harness/schema.ts';
import { askdocsTarget } from '../../harness/targets/askdocs.ts';
import { timingsOf } from '../../harness/timings.ts';
import { CodedError } from '../../service/contract.ts';
import { type Service, serviceFor } from '../eval-service.ts';
import { interruptible } from '../interrupt.ts';
import { type JudgeArgs, judgeArgs, judgeFromArgs } from '../judges.ts';
import { createProgress } from '../progress.ts';
import { formatArg, metricsTable, printJson, timingsTable } from '../tables.ts';

const DEFAULT_CASES = 'cases/demo.jsonl';

const runArg = {
  out: { type: 'string', description: 'Folder of the run (default: results/DATE for a new one)', valueHint: 'RUN' },
} as const;

const answerArgs = {
  cases: { type: 'string', default: DEFAULT_CASES, description: 'JSONL file of cases', valueHint: 'FILE' },
  db: { type: 'string', default: 'data/docs.db', description: 'Index to answer from', valueHint: 'INDEX' },
  url: { type: 'string', description: 'Ask a service that is running, instead of starting one', valueHint: 'URL' },
  runs: { type: 'string', default: '1', description: 'Ask every case this often', valueHint: 'K' },
  seed: { type: 'string', default: 'askdocs', description: 'Seed of the shuffled order of repetitions' },
  only: { type: 'string', description: 'Ask these cases only, by id, separated by commas', valueHint: 'ID' },
  failed: { type: 'string', description: 'Ask only the cases that failed in this earlier run', valueHint: 'RUN' },
  concurrency: {
    type: 'string',
    description: "Questions at a time (default: the service's own limit)",
    valueHint: 'N',
  },
} as const;

const answerCommand = defineCommand({
  meta: {
    name: 'answer',
    description: 'Ask the service every case over HTTP and record what it says. Resumes what was cut off.',
  },
  args: { ...answerArgs, ...runArg },
  run: ({ args }) => answer({ ...args, out: args.out ?? newRun() }),
});

const judgeCommand = defineCommand({
  meta: { name: 'judge', description: 'Judge the recorded answers sentence by sentence. Nothing is asked again.' },
  args: { ...judgeArgs, ...runArg, format: formatArg },
  run: async ({ args }) => {
    const dir = args.out;
    if (dir === undefined) throw new CodedError('bad_input', 'name the run to judge with --out RUN');
    const code = await judge(dir, args);
    return code === 0 ? finish(dir, args.format) : code;
  },
});

const allCommand = defineCommand({
  meta: {
    name: 'all',
    description: 'Answer, judge and report in one go; prints the metrics and writes the run folder.',
  },
  args: { ...answerArgs, ...judgeArgs, ...runArg, format: formatArg },
  run: async ({ args }) => {
    const dir = args.out ?? newRun();
    const answered = await answer({ ...args, out: dir });
    if (answered !== 0) return answered;
    const judged = await judge(dir, args);
    return judged === 0 ? finish(dir, args.format) : judged;
  },
});

export const evalCommand = defineCommand({
  meta: {
    name: 'eval',
    description: 'Measure the service: ask labelled cases, judge the answers, compute metrics with intervals',
  },
  subCommands: {
    all: allCommand,
    answer: answerCommand,
    judge: judgeCommand,
    retrieval: () => import('./eval-retrieval.ts').then((m) => m.retrievalCommand),
    ab: () => import('./eval-ab.ts').then((m) => m.abCommand),
  },
});

type AnswerArgs = {
  cases: string;
  db: string;
  url?: string | undefined;
  runs: string;
  seed: string;
  only?: string | undefined;
  failed?: string | undefined;
  concurrency?: string | undefined;
  out: string;
};

async function answer(args: AnswerArgs): Promise<number> {
  const cases = chooseCases(args);
  const runs = wholeNumber('--runs', args.runs);
  return interruptible(async (signal) => {
    const service = await serviceFor(args, runs);
    try {
      return await answerFrom(service, args, cases, runs, signal);
    } finally {
      await service.close();
    }
  });
}

async function answerFrom(
  service: Service,
  args: AnswerArgs,
  cases: Case[],
  runs: number,
  signal: AbortSignal,
): Promise<number> {
  const target = askdocsTarget(service.url);
  const described = await target.describe(signal);
  const concurrency =
    args.concurrency === undefined ? described.maxConcurrent : wholeNumber('--concurrency', args.concurrency);
  const manifest = planRun({
    cases,
    casesPath: args.cases,
    runs,
    seed: args.seed,
    url: args.url ?? null,
    db: args.url === undefined ? args.db : null,
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
  const errors = outcome.errors === 0 ? '' : `, ${outcome.errors} of them error(s)`;
  if (outcome.interrupted) {
    progress.end(
      `Stopped: ${outcome.done} of ${outcome.total} answers are kept in ${args.out}. The same command with --out ${args.out} goes on.`,
    );
    return 130;
  }
  progress.end(`${outcome.done} answers in ${args.out} (${outcome.asked} asked now${errors}).`);
  return 0;
}

async function judge(dir: string, args: JudgeArgs): Promise<number> {
  readManifest(dir);
  const chosen = judgeFromArgs(args);
  return interruptible(async (signal) => {
    const progress = createProgress();
    const outcome = await judgeRun({ dir, judge: chosen, signal, onProgress: progress.update });
    if (outcome.interrupted) {
      progress.end(
        `Stopped: ${outcome.done} of ${outcome.total} verdicts are kept in ${dir}. askdocs eval judge --out ${dir} goes on.`,
      );
      return 130;
    }
    const unjudged = outcome.unjudged === 0 ? '' : `, ${outcome.unjudged} unjudged`;
    progress.end(`${outcome.done} verdicts by ${chosen.info.name} (${outcome.asked} asked now${unjudged}).`);
    return 0;
  });
}

function finish(dir: string, format: string): number {
  const { records, summary } = finishRun(dir);
  if (format === 'json') printJson(summary);
  else
    process.stdout.write(
      `${metricsTable(summary)}\n\n${timingsTable(timingsOf(records))}\n\n${whereTo(dir, records)}\n`,
    );
  return 0;
}

function whereTo(dir: string, records: RunRecords): string {
  const failed = new Set(failuresOf(records).map((failure) => failure.case_id)).size;
  return `${failed} of ${records.cases.length} cases have something to look at: ${dir}/report.md`;
}

function chooseCases(args: AnswerArgs): Case[] {
  const all = runExists(args.out) && !existsSync(args.cases) ? readRun(args.out).cases : loadCases(args.cases);
  const only = args.only?.split(',').map((id) => id.trim());
  const unknown = only?.find((id) => !all.some((item) => item.id === id));
  if (unknown !== undefined) throw new CodedError('bad_input', `--only: ${args.cases} has no case "${unknown}"`);
  const failed =
    args.failed === undefined ? null : new Set(failuresOf(readRun(args.failed)).map((item) => item.case_id));
  const chosen = all.filter((item) => (only?.includes(item.id) ?? true) && (failed?.has(item.id) ?? true));
  if (chosen.length === 0)
    throw new CodedError('bad_input', `no case of ${args.cases} failed in ${args.failed}; nothing to ask`);
  return chosen;
}

/** By the second: two runs started one after the other do not share a folder. */
function newRun(): string {
  return `results/${new Date().toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '')}`;
}

function wholeNumber(option: string, given: string): number {
  const value = Number(given);
  if (Number.isInteger(value) && value >= 1 && value <= 1000) return value;
  throw new CodedError('bad_input', `${option} takes a whole number from 1 to 1000, not "${given}"`);
}
