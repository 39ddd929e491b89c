/** `npm run loadtest`: options in, a result and its table out. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineCommand } from 'citty';
import { describeGit, describeMachine } from '../harness/machine.ts';
import packageJson from '../package.json' with { type: 'json' };
import { readEnvironment } from '../scripts/environment.ts';
import { interruptible } from '../scripts/interrupt.ts';
import { createProgress } from '../scripts/progress.ts';
import { CodedError } from '../service/contract.ts';
import { answerableQuestions } from './k6/load.ts';
import { findK6 } from './k6-program.ts';
import { listOf, numberOf, sweptLimits } from './options.ts';
import type { Result } from './result.ts';
import { planPoints, runSweep, type SweepOptions, type SweepResult } from './sweep.ts';
import { resultPage } from './table.ts';
import { type OpenTarget, openTarget } from './target.ts';

export const loadtestCommand = defineCommand({
  meta: {
    name: 'npm run loadtest --',
    description: 'Load the service with k6: a closed loop of users over the case questions, measured against theory.',
  },
  args: {
    'stand-in': { type: 'boolean', description: 'A deterministic stand-in for the model instead of a real server' },
    llm: {
      type: 'string',
      default: 'http://127.0.0.1:8081',
      description: 'A running llama.cpp server',
      valueHint: 'URL',
    },
    users: { type: 'string', default: '1,4,16', description: 'Users of each point', valueHint: 'N,N' },
    sweep: {
      type: 'string',
      description: 'limit=2,4,8 varies ASKDOCS_MAX_CONCURRENT at the most users',
      valueHint: 'WHAT',
    },
    pause: {
      type: 'string',
      default: '1',
      description: 'Mean seconds a user pauses after an answer, in points with more users than the limit',
      valueHint: 'S',
    },
    duration: { type: 'string', default: '60', description: 'Seconds of each point', valueHint: 'S' },
    edge: { type: 'string', default: '5', description: 'Seconds left out of the rate at either end', valueHint: 'S' },
    'warm-up': { type: 'string', default: '8', description: 'Questions before those that count', valueHint: 'N' },
    'max-tokens': { type: 'string', default: '128', description: 'Longest answer of a real model', valueHint: 'N' },
    slots: { type: 'string', default: '4', description: 'Slots of the stand-in', valueHint: 'N' },
    db: { type: 'string', default: 'data/docs.db', description: 'The index to answer from', valueHint: 'FILE' },
    cases: {
      type: 'string',
      default: 'cases/demo.jsonl',
      description: 'Where the questions come from',
      valueHint: 'FILE',
    },
    k6: { type: 'string', description: 'The program k6 (default: ASKDOCS_K6, else k6 on PATH)', valueHint: 'PATH' },
    name: { type: 'string', description: 'Name of the result (default: the target and the date)', valueHint: 'NAME' },
    out: { type: 'string', default: 'loadtest/results', description: 'Folder of the result', valueHint: 'DIR' },
  },
  async run({ args }) {
    const environment = readEnvironment();
    const durationS = numberOf('--duration', args.duration, 2, 3600);
    const edgeS = numberOf('--edge', args.edge, 0, durationS / 2 - 0.5);
    const warmUpQuestions = numberOf('--warm-up', args['warm-up'], 0, 1000);
    const pauseS = numberOf('--pause', args.pause, 0, 600);
    const maxTokens = numberOf('--max-tokens', args['max-tokens'], 1, 32_768);
    const users = listOf('--users', args.users);
    const limits = sweptLimits(args.sweep);
    const cases = readCases(args.cases);
    const db = existing(args.db, `make one with askdocs index FOLDER --db ${args.db}`);
    const k6 = await findK6(args.k6 ?? environment.ASKDOCS_K6);
    const progress = createProgress();
    const target = await openTarget({
      standIn: args['stand-in'] === true,
      url: args.llm,
      slots: numberOf('--slots', args.slots, 1, 64),
      onProgress: (done, total) => progress.update(done, total, "measuring the server's steps"),
    });
    const points = planPoints(users, limits, target.slots, pauseS);
    const settings = serviceSettings(db, maxTokens);
    const plan = { k6, target, points, environment, settings, cases, durationS, edgeS, warmUpQuestions };
    const measured = await interruptible((signal) =>
      runSweep({
        ...plan,
        signal,
        onPoint: (i, point) => progress.update(i, points.length, `${point.users} users, limit ${point.limit}`),
      }),
    );
    progress.end();
    const result = describeResult(args.name, { ...plan, maxTokens, target }, measured);
    writeResult(args.out, result);
    return result.points.every((point) => point.k6.thresholdsMet) ? 0 : 1;
  },
});

function serviceSettings(db: string, maxTokens: number): Record<string, string> {
  return {
    ASKDOCS_LLM_PROVIDER: 'llamacpp',
    ASKDOCS_LLM_MAX_TOKENS: String(maxTokens),
    // A cold prompt behind others in a small CPU's queue takes its time; here that is measured, not an error.
    ASKDOCS_LLM_READ_TIMEOUT_S: '300',
    ASKDOCS_MCP_DB: db,
    // The evidence gate is off: a question it refuses takes milliseconds, and the model's slots are to be loaded.
    CRAG_MIN_COSINE: '-1',
  };
}

type Measured = Omit<SweepOptions, 'signal' | 'onPoint' | 'target'> & { target: OpenTarget; maxTokens: number };

function describeResult(name: string | undefined, plan: Measured, { points, retrieval, topK }: SweepResult): Result {
  const { target, k6, durationS, edgeS, warmUpQuestions, maxTokens } = plan;
  const now = new Date().toISOString();
  return {
    schema_version: 1,
    name: name ?? `${target.kind}-${now.slice(0, 19).replace('T', '-').replaceAll(':', '')}`,
    date: now.slice(0, 10),
    target: target.kind,
    hardware: describeMachine(),
    versions: { askdocs: packageJson.version, node: process.versions.node, k6: k6.version, llama: target.build },
    git: describeGit(process.cwd()),
    model: { name: target.model, slots: target.slots, context: target.context },
    rates: target.rates,
    settings: {
      durationS,
      edgeS,
      warmUpQuestions,
      maxTokens,
      topK,
      retrieval,
      questions: answerableQuestions(plan.cases.text).length,
    },
    points,
  };
}

function readCases(given: string): { path: string; text: string } {
  const path = existing(given, 'name a JSONL file of cases with --cases');
  const text = readFileSync(path, 'utf8');
  if (answerableQuestions(text).length > 0) return { path, text };
  throw new CodedError('bad_input', `${given} holds no factual or multi_source case to ask.`);
}

function existing(given: string, advice: string): string {
  if (existsSync(given)) return resolve(given);
  throw new CodedError('bad_input', `There is no file ${given}; ${advice}.`);
}

function writeResult(folder: string, result: Result): void {
  mkdirSync(folder, { recursive: true });
  const page = resultPage(result);
  writeFileSync(join(folder, `${result.name}.json`), `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(join(folder, `${result.name}.md`), page);
  process.stdout.write(`${page}\nWritten: ${join(folder, `${result.name}.json`)} and .md\n`);
}
