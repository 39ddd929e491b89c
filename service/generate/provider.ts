/** What the pipeline asks of a provider. One provider per file of this folder. */
import type { Passage, Source, Usage } from '../contract.ts';

export interface Message {
  role: 'system' | 'user';
  content: string;
}

/** One question made ready: its numbered sources, and for a model the exact prompt. */
export interface Prepared {
  question: string;
  sources: Source[];
  messages: readonly Message[];
}

export type GenerationEvent =
  | { type: 'text'; text: string }
  /** Always last. `length`: the answer was cut by the limit of tokens. */
  | { type: 'end'; finish: 'stop' | 'length'; usage: Usage | null };

/** What a provider knows about the server behind it. */
export interface ProviderStatus {
  ready: boolean;
  /** One sentence each about what works less well than it could, with the fix. */
  notes: string[];
  slots: number | null;
  /** Tokens that prompt and answer of one request share. */
  contextTokens: number | null;
}

export interface Provider {
  readonly name: string;
  readonly model: string;
  /** SHA-256 of everything fixed in the prompt (or of the method, without a model): changes when answers may. */
  readonly promptHash: string;
  /** Numbers the passages and builds the prompt; those that do not fit the context are marked `used: false`. */
  prepare(question: string, passages: readonly Passage[], signal: AbortSignal): Promise<Prepared>;
  /** Streams the answer; leaving the loop or firing the signal closes the upstream. */
  generate(prepared: Prepared, signal: AbortSignal): AsyncIterable<GenerationEvent>;
  status(signal: AbortSignal): Promise<ProviderStatus>;
}

/** Passages numbered from 1, all used. */
export function numberSources(passages: readonly Passage[]): Source[] {
  return passages.map((passage, index) => ({ ...passage, n: index + 1, used: true }));
}
