/** The judge that options name. */
import { type Judge, unknownJudge } from '../harness/judges/judge.ts';
import { lexicalJudge } from '../harness/judges/lexical.ts';

export const judgeArgs = {
  judge: { type: 'string', default: 'lexical', description: 'Who judges: lexical (no model)', valueHint: 'NAME' },
} as const;

export async function judgeFromArgs(args: { judge: string }): Promise<Judge> {
  if (args.judge === 'lexical') return lexicalJudge();
  throw unknownJudge(args.judge);
}
