/**
 * What a server with slots can answer at most, from the duration of its steps. A step of llama.cpp evaluates waiting
 * prompts and gives one token to each slot that generates; it lasts `stepMs + slotMs * generating + prompt tokens /
 * prefillPerSecond`. An answer of c tokens, p of whose prompt are evaluated, takes part in c steps; with b slots at
 * work all the time the part of an answer in the time of all of them is
 *
 *   p / prefillPerSecond + (c - 1) slotMs + c stepMs / b
 *
 * because the fixed part of a step serves b answers at once. Answers a second are its inverse.
 */
import type { Rates } from './stand-in/engine.ts';

export interface Work {
  /** Mean prompt tokens evaluated per answer: those not found in the cache. */
  evaluated: number;
  /** Mean tokens per answer. */
  completion: number;
}

/** Answers a second with `busy` slots always at work. */
export function theoreticalRate(rates: Rates, work: Work, busy: number): number {
  return 1000 / costMs(rates, work, busy);
}

function costMs({ prefillPerSecond, stepMs, slotMs }: Rates, { evaluated, completion }: Work, busy: number): number {
  return (evaluated / prefillPerSecond) * 1000 + Math.max(0, completion - 1) * slotMs + (completion * stepMs) / busy;
}
