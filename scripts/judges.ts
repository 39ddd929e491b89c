/** The judge that options name. */
import { randomBytes } from 'node:crypto';
import { type Judge, unknownJudge } from '../harness/judges/judge.ts';
import { lexicalJudge } from '../harness/judges/lexical.ts';
import { type LlmJudgeOptions, llmJudge } from '../harness/judges/llm.ts';
import { CodedError } from '../service/contract.ts';
import { checkCalibration, readThreshold } from './judge-threshold.ts';
import { modelIdentity } from './model-identity.ts';

export const slotsArg = {
  type: 'string',
  default: '4',
  description: 'Slots of a llama.cpp server started here, which is how many questions it takes at a time',
  valueHint: 'N',
} as const;

export const judgeArgs = {
  judge: {
    type: 'string',
    default: 'lexical',
    description: 'Who judges: lexical (no model) or llm',
    valueHint: 'NAME',
  },
  judgeUrl: {
    type: 'string',
    default: 'http://localhost:8082/v1',
    description: 'OpenAI-compatible server of the llm judge',
    valueHint: 'URL',
  },
  judgeModel: {
    type: 'string',
    default: 'Qwen2.5-7B-Instruct',
    description: 'Model of the llm judge',
    valueHint: 'NAME',
  },
  judgeThreshold: {
    type: 'string',
    description:
      'Least probability of yes that counts as yes (default 0.5), or a file that askdocs judge --write-threshold wrote',
    valueHint: 'P',
  },
  judgeConcurrency: { type: 'string', description: 'Questions to the llm judge at a time (default 4)', valueHint: 'N' },
  judgeGguf: {
    type: 'string',
    description: 'Start a llama.cpp server with this model as llm judge, and stop it after the verdicts',
    valueHint: 'B.gguf',
  },
  slots: slotsArg,
} as const;

export interface JudgeArgs {
  judge: string;
  judgeUrl: string;
  judgeModel: string;
  judgeThreshold?: string | undefined;
  judgeConcurrency?: string | undefined;
  judgeGguf?: string | undefined;
  slots: string;
}

/** A key for the judge's server is taken from ASKDOCS_JUDGE_API_KEY. */
export function judgeFromArgs(args: JudgeArgs, more: Pick<LlmJudgeOptions, 'identity'> = {}): Judge {
  if (args.judge === 'lexical') return lexicalJudge();
  if (args.judge !== 'llm') throw unknownJudge(args.judge);
  if (!URL.canParse(args.judgeUrl))
    throw new CodedError('bad_input', `--judge-url takes an http address, not "${args.judgeUrl}"`);
  return llmJudge({
    baseUrl: args.judgeUrl,
    model: args.judgeModel,
    apiKey: process.env.ASKDOCS_JUDGE_API_KEY,
    threshold: readThreshold(args.judgeThreshold ?? '0.5').threshold,
    concurrency: inRange('--judge-concurrency', args.judgeConcurrency ?? '4', 1, 256),
    secret: randomBytes(32).toString('hex'),
    ...more,
  });
}

/** The same, with what its server tells of the model: verdicts of other weights are not reused. */
export async function openJudge(args: JudgeArgs, isOurs = false): Promise<Judge> {
  if (args.judge !== 'llm') return judgeFromArgs(args);
  const identity = await modelIdentity(args.judgeUrl, { isOurs });
  const judge = judgeFromArgs(args, Object.keys(identity).length === 0 ? {} : { identity });
  checkCalibration(readThreshold(args.judgeThreshold ?? '0.5').calibration, judge.info);
  return judge;
}

function inRange(option: string, given: string, low: number, high: number): number {
  const value = Number(given);
  if (given.trim() !== '' && value >= low && value <= high) return value;
  throw new CodedError('bad_input', `${option} takes a number from ${low} to ${high}, not "${given}"`);
}
