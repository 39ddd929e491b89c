/**
 * The part of a llama.cpp server that takes time: slots, a queue before them, prompts evaluated one after another, one
 * token a step for every slot that generates, prompts reused by prefix. A step lasts what the rates say; the clock is
 * passed in, so that a test, and the theory, can run it without waiting.
 */
import { createPromptCache, promptTokens } from './cache.ts';
import type { Clock } from './clock.ts';

/** A step lasts `stepMs + slotMs * generating slots + prompt tokens / prefillPerSecond`, as measured on real servers. */
export interface Rates {
  prefillPerSecond: number;
  stepMs: number;
  slotMs: number;
}

export interface EngineOptions {
  slots: number;
  rates: Rates;
  clock: Clock;
  /** Most prompt tokens in one step (`-b` of llama.cpp); nobody is cancelled and nobody gets a token within a step. */
  batch?: number;
}

export interface Job {
  prompt: string;
  /** When the server was asked; default now. */
  arrived?: number;
  cachePrompt: boolean;
  /** What will be said, token by token. */
  answer: readonly string[];
  /** A slot took it. */
  onStart(): void;
  onToken(text: string): void;
  onEnd(): void;
}

/** What happened to one request; times are the clock's. */
export interface Entry {
  slot: number | null;
  arrived: number;
  /** When a slot took it. */
  started: number | null;
  firstToken: number | null;
  ended: number | null;
  promptTokens: number;
  cachedTokens: number;
  predicted: number;
  cancelled: boolean;
}

export interface Engine {
  submit(job: Job): { entry: Entry; cancel(): void };
  /** What each slot is at, or null. */
  slots(): readonly (Entry | null)[];
  queued(): number;
}

interface Running {
  job: Job;
  entry: Entry;
  /** Prompt tokens still to be evaluated. */
  left: number;
  inBatch: number;
}

export function createEngine({ slots, rates, clock, batch = 2048 }: EngineOptions): Engine {
  const cache = createPromptCache(slots);
  const busy: (Running | null)[] = Array.from({ length: slots }, () => null);
  const queue: Running[] = [];
  /** When the step under way ends; undefined when there is nothing to do. */
  let stepEnd: number | undefined;

  const assign = () => {
    while (queue.length > 0 && busy.includes(null)) {
      const next = queue.shift() as Running;
      const free = busy.flatMap((running, slot) => (running === null ? [slot] : []));
      const { slot, cached } = cache.take(next.job.prompt, free, next.job.cachePrompt);
      Object.assign(next.entry, { slot, cachedTokens: cached, started: clock.now() });
      next.left = next.entry.promptTokens - cached;
      busy[slot] = next;
      next.job.onStart();
    }
  };
  const release = (slot: number, said: string) => {
    const running = busy[slot] as Running;
    busy[slot] = null;
    running.entry.ended = clock.now();
    // A prompt that was not evaluated to its end is of no use to the next one.
    cache.keep(slot, running.left > 0 ? '' : running.job.prompt + said);
  };
  const startStep = () => {
    assign();
    const running = busy.filter((one) => one !== null);
    if (running.length === 0) {
      stepEnd = undefined;
      return;
    }
    let room = batch;
    for (const one of running) {
      one.inBatch = Math.min(one.left, room);
      room -= one.inBatch;
    }
    const generating = running.filter((one) => one.left === 0).length;
    const ms = rates.stepMs + rates.slotMs * generating + ((batch - room) / rates.prefillPerSecond) * 1000;
    // From the end of the last step, not from now: a late timer must not slow the engine down.
    stepEnd = (stepEnd ?? clock.now()) + ms;
    clock.at(stepEnd, endStep);
  };
  const endStep = () => {
    for (const [slot, one] of busy.entries()) {
      if (one === null) continue;
      const said = () => one.job.answer.slice(0, one.entry.predicted).join('');
      if (one.entry.cancelled) {
        release(slot, said());
        continue;
      }
      const waiting = one.left > 0;
      one.left -= one.inBatch;
      if (waiting && one.left > 0) continue;
      const text = one.job.answer[one.entry.predicted] ?? '';
      one.entry.predicted += 1;
      one.job.onToken(text);
      // On its way: what it takes to write it is the server's.
      one.entry.firstToken ??= clock.now();
      if (one.entry.predicted < one.job.answer.length) continue;
      release(slot, said());
      one.job.onEnd();
    }
    startStep();
  };
  return {
    submit(job) {
      const entry = newEntry(job.prompt, job.arrived ?? clock.now());
      const running: Running = { job, entry, left: entry.promptTokens, inBatch: 0 };
      queue.push(running);
      if (stepEnd === undefined) startStep();
      return {
        entry,
        cancel() {
          if (entry.ended !== null) return;
          entry.cancelled = true;
          const place = queue.indexOf(running);
          if (place === -1) return;
          queue.splice(place, 1);
          entry.ended = clock.now();
        },
      };
    },
    slots: () => busy.map((running) => running?.entry ?? null),
    queued: () => queue.length,
  };
}

function newEntry(prompt: string, arrived: number): Entry {
  return {
    slot: null,
    arrived,
    started: null,
    firstToken: null,
    ended: null,
    promptTokens: promptTokens(prompt),
    cachedTokens: 0,
    predicted: 0,
    cancelled: false,
  };
}
