/** What the answer phase drives: any system that answers a question and says from which passages. */
import type { Answer, Health, SearchResponse, Source } from '../../service/contract.ts';
import type { AnswerRecord } from '../schema.ts';

/** One question's outcome. Never thrown: a failure is data. */
export interface Asked {
  answer: Answer | null;
  sources: Source[];
  error: AnswerRecord['error'];
  client: AnswerRecord['client'];
}

export interface Target {
  /** Resolves with what it is; rejects with a `CodedError` when it cannot be reached. */
  health(signal: AbortSignal): Promise<Health>;
  /** Rejects only when aborted. */
  ask(question: string, signal: AbortSignal): Promise<Asked>;
  /** Null when the system has no search of its own. */
  search: ((question: string, k: number, signal: AbortSignal) => Promise<SearchResponse>) | null;
}

/** Codes of failures that mean nobody is there, as opposed to an answer that failed. */
export const GONE = 'connection_refused';
