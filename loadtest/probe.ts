/** Measures how long the steps of a llama.cpp server last: what theory needs to know of it. About half a minute on a small CPU. */
import { type Completion, complete, probePrompt } from './llama.ts';
import type { Rates } from './stand-in/engine.ts';

export interface ProbeOptions {
  slots: number;
  /** Characters of each prompt; about those of a question with its passages. */
  promptChars?: number;
  /** Tokens of each answer. */
  tokens?: number;
  onProgress?: (done: number, total: number) => void;
}

/**
 * Each prompt alone and cold gives the rate of prompts; then, with the prompts in the cache, one answer alone and one
 * in every slot give the step's fixed part and the part of each slot.
 */
export async function probeRates(root: string, options: ProbeOptions): Promise<Rates> {
  const { slots, promptChars = 4000, tokens = 48, onProgress = () => {} } = options;
  const prompts = Array.from({ length: Math.max(2, slots) }, (_, i) => probePrompt(i, promptChars));
  const total = prompts.length + 2;
  const cold: Completion[] = [];
  for (const [i, prompt] of prompts.entries()) {
    onProgress(i, total);
    cold.push(await complete(root, prompt, 1));
  }
  onProgress(prompts.length, total);
  const alone = await complete(root, prompts[0] ?? '', tokens);
  onProgress(prompts.length + 1, total);
  const together = await Promise.all(prompts.slice(0, slots).map((prompt) => complete(root, prompt, tokens)));
  return ratesFrom(cold, alone, together);
}

/** The first cold one warms the server and is left out. */
export function ratesFrom(cold: readonly Completion[], alone: Completion, together: readonly Completion[]): Rates {
  const stepOf = ({ predicted, predictedMs }: Completion) => predictedMs / Math.max(1, predicted - 1);
  const one = stepOf(alone);
  const all = median(together.map(stepOf));
  const slotMs = together.length > 1 ? Math.max(0, (all - one) / (together.length - 1)) : 0;
  const stepMs = Math.max(0, one - slotMs);
  const perToken = median(
    cold.slice(1).map(({ evaluated, promptMs }) => Math.max(0.001, promptMs - stepMs) / Math.max(1, evaluated)),
  );
  return { prefillPerSecond: 1000 / perToken, stepMs, slotMs };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
