/**
 * The provider without a model: it quotes the sentences of the passages that cover the question best, each with its
 * citation, or refuses. Deterministic; the default, and the baseline every model has to beat.
 */
import { createHash } from 'node:crypto';
import { REFUSAL_SENTENCE, type Source } from '../contract.ts';
import { type GenerationEvent, numberSources, type Prepared, type Provider } from './provider.ts';
import { chooseUnits } from './select.ts';
import type { Unit } from './units.ts';

/** Raised when the method changes its answers. */
const METHOD = 'extractive-2';

export function createExtractive(): Provider {
  return {
    name: 'extractive',
    model: 'extractive',
    promptHash: createHash('sha256').update(METHOD).digest('hex'),
    prepare: async (question, passages) => ({ question, sources: numberSources(passages), messages: [] }),
    generate: generate,
    status: async () => ({ ready: true, notes: [], slots: null, contextTokens: null }),
  };
}

/** The answer in the pieces in which it is streamed; joined they are the answer. */
export function extract(question: string, sources: readonly Source[]): string[] {
  const units = chooseUnits(question, sources);
  return units.length === 0 ? [REFUSAL_SENTENCE] : units.map((unit, i) => write(unit, units[i - 1]));
}

async function* generate(prepared: Prepared, signal: AbortSignal): AsyncGenerator<GenerationEvent> {
  for (const text of extract(prepared.question, prepared.sources)) {
    signal.throwIfAborted();
    yield { type: 'text', text };
  }
  yield { type: 'end', finish: 'stop', usage: { prompt_tokens: 0, completion_tokens: 0 } };
}

/** Sentences run on in a paragraph; items and rows stand in lines of their own, code in its block. */
function write(unit: Unit, before: Unit | undefined): string {
  const citation = `[${unit.n}]`;
  if (unit.kind === 'code') return `${before === undefined ? '' : '\n\n'}${unit.text}\n${citation}`;
  const listed = unit.kind === 'item' || unit.kind === 'row';
  const text = listed ? `- ${unit.text} ${citation}` : `${closed(unit.text)} ${citation}`;
  if (before === undefined) return text;
  const wasListed = before.kind === 'item' || before.kind === 'row';
  if (before.kind === 'code' || listed !== wasListed)
    return listed && before.kind === 'lead' ? `\n${text}` : `\n\n${text}`;
  return listed ? `\n${text}` : before.n === unit.n ? ` ${text}` : `\n\n${text}`;
}

/** A quote cut out of a list or a table may lack its full stop; without one it would run into the next. */
function closed(text: string): string {
  return /[.!?:。！？…]["'”’)\]*_`]*$/.test(text) ? text : `${text}.`;
}
