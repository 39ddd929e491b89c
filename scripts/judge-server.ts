/** The judge that options name, with its llama.cpp server where one is to be started for it. */
import type { Judge } from '../harness/judges/judge.ts';
import { type JudgeArgs, openJudge } from './judges.ts';
import { startLlama } from './llama-phase.ts';
import { wholeNumber } from './whole-number.ts';

export async function withJudge<T>(
  args: JudgeArgs,
  signal: AbortSignal,
  use: (judge: Judge) => Promise<T>,
): Promise<T> {
  if (args.judgeGguf === undefined) return use(await openJudge(args));
  const llama = await startLlama(args.judgeGguf, wholeNumber('--slots', args.slots), signal);
  try {
    return await use(
      await openJudge({ ...args, judge: 'llm', judgeUrl: llama.baseUrl, judgeModel: llama.model }, true),
    );
  } finally {
    await llama.stop();
  }
}
