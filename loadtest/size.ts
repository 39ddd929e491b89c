/** Which limit to set: a short closed loop straight at the model's server below, at and beyond its slots. */
import { shareInWindow } from './k6/load.ts';
import { type Completion, complete, probePrompt } from './llama.ts';
import type { Rates } from './stand-in/engine.ts';
import { theoreticalRate } from './theory.ts';

export interface Level {
  /** Requests at once. */
  atOnce: number;
  answersPerS: number;
  /** Median ms from sending to the first token. */
  ttftMs: number;
}

export interface LevelOptions {
  root: string;
  slots: number;
  rates: Rates;
  /** Shortest measurement of a level, seconds. */
  leastS: number;
  promptChars: number;
  tokens: number;
  signal: AbortSignal;
  onProgress: (done: number, total: number, label: string) => void;
}

/** Half the slots, the slots, twice the slots. */
export function levelsFor(slots: number): number[] {
  return [...new Set([Math.max(1, slots >> 1), slots, 2 * slots])];
}

export async function measureLevels(options: LevelOptions): Promise<Level[]> {
  const wanted = levelsFor(options.slots);
  const levels: Level[] = [];
  for (const [i, atOnce] of wanted.entries()) {
    options.onProgress(i, wanted.length, `${atOnce} at once`);
    levels.push(await measureLevel(options, atOnce));
  }
  return levels;
}

/** Long enough for three answers of every slot, the first of which is not counted. */
async function measureLevel(options: LevelOptions, atOnce: number): Promise<Level> {
  const { root, slots, rates, leastS, promptChars, tokens, signal } = options;
  const work = { evaluated: promptChars / 4, completion: tokens };
  const answerS = Math.max(atOnce, 1) / theoreticalRate(rates, work, Math.min(atOnce, slots));
  const ms = Math.max(leastS, 3 * answerS) * 1000;
  const started = performance.now();
  const window = { from: started + ms / 3, to: started + ms };
  const seen: { sent: number; answer: Completion }[] = [];
  const ask = async (user: number) => {
    for (let n = 0; performance.now() < window.to; n += 1) {
      const sent = performance.now();
      seen.push({ sent, answer: await complete(root, probePrompt(user * 1000 + n, promptChars), tokens, signal) });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, user) => ask(user)));
  const counted = seen.map(({ sent, answer }) => shareInWindow(sent, sent + answer.totalMs, window));
  const sum = counted.reduce((a, b) => a + b, 0);
  const first = seen.flatMap(({ answer }, i) => ((counted[i] ?? 0) > 0 ? [answer.firstMs] : []));
  return {
    atOnce,
    answersPerS: sum / ((window.to - window.from) / 1000),
    ttftMs: first.toSorted((a, b) => a - b)[first.length >> 1] ?? Number.NaN,
  };
}

/** The advice, in one sentence with its reason. */
export function advice(slots: number, levels: readonly Level[]): string {
  const at = levels.map(({ atOnce }) => atOnce).join(', ');
  const rates = levels.map(({ answersPerS }) => answersPerS.toPrecision(2)).join(', ');
  const first = levels.map(({ ttftMs }) => (ttftMs / 1000).toFixed(1)).join(', ');
  return `Set ASKDOCS_MAX_CONCURRENT=${slots}, the slots of this llama.cpp server: asked ${at} questions at once it gives ${rates} answers a second, the first token after ${first} s; fewer leave slots idle, and more are not answered sooner but wait inside llama.cpp, where no one is told.`;
}
