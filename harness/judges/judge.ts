/** What a judge is: it answers one yes/no question, whether a passage supports a claim. */
import { CodedError } from '../../service/contract.ts';
import { hashOf } from '../hash.ts';
import type { JudgeInfo } from '../schema.ts';

export interface JudgeQuestion {
  /** One sentence, without its citations. */
  claim: string;
  /** The passage, and what stands over it in its document. */
  context: string;
}

export type Ruling =
  | { status: 'judged'; supported: boolean; score: number | null; reason: string | null }
  | { status: 'unjudged'; supported: null; score: null; reason: string };

export interface Judge {
  info: JudgeInfo;
  /** Questions it takes at a time. */
  concurrency: number;
  /** Rejects only when aborted: what goes wrong is an unjudged ruling with its reason. */
  judge(question: JudgeQuestion, signal: AbortSignal): Promise<Ruling>;
}

/** The fingerprint changes with anything that can change a ruling; verdicts of another one are not reused. */
export function judgeInfo(parts: Omit<JudgeInfo, 'fingerprint' | 'prompt_hash'> & { prompt: unknown }): JudgeInfo {
  const { prompt, ...rest } = parts;
  const prompt_hash = hashOf(prompt);
  return { ...rest, prompt_hash, fingerprint: hashOf({ ...rest, prompt_hash }) };
}

/** `lexical` for now; `llm` needs an address and a model. */
export function unknownJudge(name: string): CodedError {
  return new CodedError('bad_input', `there is no judge "${name}"; there are lexical and llm`);
}
