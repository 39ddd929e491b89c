/** What the answer phase drives: any system that answers a question and says from which passages. */
import type { Answer, SearchResponse, Source } from '../../service/contract.ts';
import type { AnswerRecord, Manifest } from '../schema.ts';

/** One question's outcome. Never thrown: a failure is data. */
export interface Asked {
  answer: Answer | null;
  sources: Source[];
  error: AnswerRecord['error'];
  client: AnswerRecord['client'];
}

/** What determines the answers, as far as the system says it. */
export interface Description {
  service: Pick<Manifest['service'], 'provider' | 'model' | 'search' | 'settings'>;
  corpus: Pick<Manifest['corpus'], 'hash' | 'stats'>;
  versions: Record<string, string>;
  /** How many questions it takes at a time. */
  maxConcurrent: number;
}

export interface Target {
  /** Resolves with what it is; rejects with a `CodedError` when it cannot be reached. */
  describe(signal: AbortSignal): Promise<Description>;
  /** Rejects only when aborted. */
  ask(question: string, signal: AbortSignal): Promise<Asked>;
  /** Null when the system has no search of its own. */
  search: ((question: string, k: number, signal: AbortSignal) => Promise<SearchResponse>) | null;
}

/** Codes of failures that mean nobody is there, as opposed to an answer that failed. */
export const GONE = 'connection_refused';
