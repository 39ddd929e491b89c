/**
 * Follows files: keeps an index in step until it is told to stop. An event only says that it is time to look; what has
 * changed is found by walking, so that nothing is missed when events are lost, merged, or do not come at all, as on
 * network drives. Everything that reaches the index goes the way of a single run, and is as safe from a kill as that.
 */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { CodedError } from '../../contract.ts';
import { type IndexSummary, indexWalked, type PathOptions } from './index.ts';
import { hashOf } from './run.ts';
import { createSandbox } from './sandbox.ts';
import type { Cache } from './take.ts';
import { type Walked, walk } from './walk.ts';

export interface WatchOptions extends PathOptions {
  signal: AbortSignal;
  /** After the first run, and after each one that found something to do. */
  onRun(summary: IndexSummary): void;
  /** A sentence about what could not be done now; it is tried again. */
  onProblem(message: string): void;
}

/** A burst of changes is over when nothing happened for so long … */
const QUIET_MS = 120;
/** … but changes that never stop are taken all the same. */
const BURST_MS = 700;
/** Without an event the folders are looked at so often, and never for more than a thirtieth of the time. */
const RESCAN_MS = 1500;
const RESCAN_SHARE = 30;

/** Returns when the signal aborts. Throws what keeps the first run from ending; later problems are told and outlived. */
export async function watchPaths(options: WatchOptions): Promise<void> {
  const events = createEvents(options.onProblem);
  const sandbox = createSandbox();
  const state: State = {
    cache: new Map(),
    done: '',
    problem: '',
    first: true,
    options: { ...options, sandbox },
    tookMs: 0,
  };
  try {
    while (!options.signal.aborted) {
      const again = await look(state, events);
      const pause = Math.max(RESCAN_MS, state.tookMs * RESCAN_SHARE);
      await events.next(again ? QUIET_MS : pause, options.signal);
    }
  } finally {
    events.close();
    sandbox.close();
  }
}

interface State {
  cache: Cache;
  /** What the folders looked like when the index was last brought into step. */
  done: string;
  /** The last problem told: not to be told again every second. */
  problem: string;
  first: boolean;
  options: WatchOptions;
  /** How long the last walk took. */
  tookMs: number;
}

/** One look at the folders; true when it should be followed by another at once. */
async function look(state: State, events: Events): Promise<boolean> {
  const { options, first } = state;
  try {
    const started = Date.now();
    const walked = await walk(options.roots, { ...options, allowMissing: !first });
    state.tookMs = Date.now() - started;
    // What appeared in a folder before it was watched made no event.
    const more = events.follow([...walked.folders, ...walked.missing.map((root) => dirname(root))]);
    const now = signatureOf(walked);
    if (now === state.done || walked.missing.length === options.roots.length) told(state, missingText(walked));
    else await bringIntoStep(state, walked, now);
    state.first = false;
    return more;
  } catch (error) {
    if (first || !(error instanceof Error)) throw error;
    if (!(error instanceof CodedError && error.code === 'cancelled'))
      told(state, `${error.message} It is tried again.`);
    return false;
  }
}

async function bringIntoStep(state: State, walked: Walked, now: string): Promise<void> {
  const { options, cache, first } = state;
  const run = { ...options, rebuild: first && options.rebuild === true };
  const keepAll = walked.missing.length > 0;
  const summary = await indexWalked(run, walked, { cache, mayBeEmpty: true, keepAll });
  state.done = now;
  told(state, missingText(walked));
  if (first || summary.added + summary.changed + summary.removed + summary.skipped.length > 0) options.onRun(summary);
}

function missingText({ missing }: Walked): string {
  return missing.length === 0 ? '' : `${missing.join(', ')} is not there; what the index has is kept until it is back.`;
}

function told(state: State, problem: string): void {
  if (problem !== '' && problem !== state.problem) state.options.onProblem(problem);
  state.problem = problem;
}

function signatureOf({ files, skipped, missing }: Walked): string {
  return hashOf(JSON.stringify([files.map(({ path, stamp }) => [path, stamp]), skipped, missing]));
}

interface Events {
  /** Watches exactly these folders; true when some are new. */
  follow(folders: readonly string[]): boolean;
  /** Resolves at the end of the next burst, after `ms`, or when the signal aborts. */
  next(ms: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

function createEvents(onProblem: (message: string) => void): Events {
  const watchers = new Map<string, FSWatcher | undefined>();
  let pending = false;
  let heard = () => {};
  const event = () => {
    pending = true;
    heard();
  };
  return {
    follow(folders) {
      const wanted = new Set(folders);
      for (const [folder, watcher] of watchers) {
        if (wanted.has(folder)) continue;
        watcher?.close();
        watchers.delete(folder);
      }
      const fresh = [...wanted].filter((folder) => !watchers.has(folder));
      const failed = fresh.filter((folder) => !open(watchers, folder, event));
      if (failed.length > 0) onProblem(`${failed.length} folders cannot be watched; they are looked at now and then.`);
      return fresh.length > failed.length;
    },
    async next(ms, signal) {
      if (!pending) await new Promise<void>((resolve) => waitFor(resolve, ms, signal, (ready) => (heard = ready)));
      const until = Date.now() + BURST_MS;
      while (pending && !signal.aborted && Date.now() < until) {
        pending = false;
        await new Promise<void>((resolve) => waitFor(resolve, QUIET_MS, signal, () => {}));
      }
      pending = false;
    },
    close() {
      for (const watcher of watchers.values()) watcher?.close();
    },
  };
}

/** False when the system has no more watches to give, or the folder is gone again. */
function open(watchers: Map<string, FSWatcher | undefined>, folder: string, event: () => void): boolean {
  try {
    const forget = () => {
      watcher.close();
      if (watchers.get(folder) === watcher) watchers.delete(folder);
    };
    const watcher = watch(folder, (type, name) => {
      // The folder itself is gone; one that takes its place has to be watched anew.
      if (type === 'rename' && name === basename(folder)) forget();
      event();
    });
    watcher.on('error', () => {
      forget();
      event();
    });
    watchers.set(folder, watcher);
    return true;
  } catch {
    // Remembered, so that it is told once and not tried at every look.
    watchers.set(folder, undefined);
    return false;
  }
}

function waitFor(resolve: () => void, ms: number, signal: AbortSignal, listen: (ready: () => void) => void): void {
  const end = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    listen(() => {});
    resolve();
  };
  const timer = setTimeout(end, ms);
  signal.addEventListener('abort', end);
  listen(end);
}
