/** `askdocs eval`: asks the cases, judges the answers, computes the numbers. */
import { defineCommand } from 'citty';
import { CodedError } from '../../service/contract.ts';
import { answerPhase, finishPhase, judgePhase } from '../eval-run.ts';
import { judgeArgs, judgeFromArgs, slotsArg } from '../judges.ts';
import { formatArg } from '../tables.ts';

const DEFAULT_CASES = 'cases/demo.jsonl';

const runArg = {
  out: { type: 'string', description: 'Folder of the run (default: results/DATE for a new one)', valueHint: 'RUN' },
} as const;

const answerArgs = {
  cases: { type: 'string', default: DEFAULT_CASES, description: 'JSONL file of cases', valueHint: 'FILE' },
  db: {
    type: 'string',
    description: 'Index to answer from (default: ASKDOCS_MCP_DB, or data/docs.db)',
    valueHint: 'INDEX',
  },
  url: { type: 'string', description: 'Ask a service that is running, instead of starting one', valueHint: 'URL' },
  api: {
    type: 'string',
    default: 'askdocs',
    description: 'What --url speaks: askdocs, or openai for any endpoint that returns sources with its answers',
    valueHint: 'NAME',
  },
  model: { type: 'string', description: 'Model to ask for with --api openai', valueHint: 'NAME' },
  runs: { type: 'string', default: '1', description: 'Ask every case this often', valueHint: 'K' },
  seed: { type: 'string', default: 'askdocs', description: 'Seed of the shuffled order of repetitions' },
  only: { type: 'string', description: 'Ask these cases only, by id, separated by commas', valueHint: 'ID' },
  failed: { type: 'string', description: 'Ask only the cases that failed in this earlier run', valueHint: 'RUN' },
  concurrency: {
    type: 'string',
    description: "Questions at a time (default: the service's own limit)",
    valueHint: 'N',
  },
  answerGguf: {
    type: 'string',
    description:
      'Start a llama.cpp server with this model for the answers, and stop it after them (tiny: the smallest)',
    valueHint: 'A.gguf',
  },
  slots: slotsArg,
} as const;

const answerCommand = defineCommand({
  meta: {
    name: 'answer',
    description: 'Ask the service every case over HTTP and record what it says. Resumes what was cut off.',
  },
  args: { ...answerArgs, ...runArg },
  run: ({ args }) => answerPhase({ ...args, out: args.out ?? newRun() }),
});

const judgeCommand = defineCommand({
  meta: { name: 'judge', description: 'Judge the recorded answers sentence by sentence. Nothing is asked again.' },
  args: { ...judgeArgs, ...runArg, format: formatArg },
  run: async ({ args }) => {
    const dir = args.out;
    if (dir === undefined) throw new CodedError('bad_input', 'name the run to judge with --out RUN');
    const code = await judgePhase(dir, args);
    return code === 0 ? finishPhase(dir, args.format) : code;
  },
});

const allCommand = defineCommand({
  meta: {
    name: 'all',
    description: 'Answer, judge and report in one go; prints the metrics and writes the run folder.',
  },
  args: { ...answerArgs, ...judgeArgs, ...runArg, format: formatArg },
  run: async ({ args }) => {
    // A judge that cannot be is said before an hour of answers.
    if (args.judgeGguf === undefined) judgeFromArgs(args);
    const dir = args.out ?? newRun();
    const answered = await answerPhase({ ...args, out: dir });
    if (answered !== 0) return answered;
    const judged = await judgePhase(dir, args);
    return judged === 0 ? finishPhase(dir, args.format) : judged;
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

/** By the second: two runs started one after the other do not share a folder. */
function newRun(): string {
  return `results/${new Date().toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '')}`;
}
