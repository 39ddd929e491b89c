/** Threads for work that occupies the thread it is called from; started with the first task, ended when there is none. */
import { once } from 'node:events';
import { Tinypool } from 'tinypool';

export interface Workers<Task, Result> {
  /** Results in the order of the tasks. Throws what a task threw, or what ended its thread. */
  run(tasks: readonly Task[]): Promise<Result[]>;
  /** Threads that are there. */
  size(): number;
}

export interface WorkersOptions {
  /** A JavaScript module. */
  file: string;
  /** The function it exports that does one task. */
  name: string;
  threads: number;
  /** After so long without a task a thread ends, and its memory is free again. */
  idleMs?: number;
}

export function createWorkers<Task, Result>({
  file,
  name,
  threads,
  idleMs = 5000,
}: WorkersOptions): Workers<Task, Result> {
  let pool: Tinypool | undefined;
  const open = () => {
    const opened = new Tinypool({
      filename: file,
      name,
      runtime: 'worker_threads',
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: idleMs,
      // How this process was started is no matter of theirs.
      execArgv: [],
    });
    // One that ends without a task is started again with the next.
    opened.on('error', () => undefined);
    return opened;
  };
  return {
    size: () => pool?.threads.length ?? 0,
    run: async (tasks) => {
      pool ??= open();
      const current = pool;
      const over = new AbortController();
      // Nothing else tells of a thread that cannot start: what waits for it would wait for ever.
      const failed = once(current, 'error', { signal: over.signal }).then(([error]) => Promise.reject(error));
      // Nor does a thread that is starting keep the process alive.
      const alive = setInterval(() => undefined, 60_000);
      try {
        const done = Promise.all(tasks.map((task) => current.run(task) as Promise<Result>));
        return await Promise.race([done, failed]);
      } catch (error) {
        if (pool === current) pool = undefined;
        await current.destroy();
        throw error;
      } finally {
        clearInterval(alive);
        over.abort();
      }
    },
  };
}
