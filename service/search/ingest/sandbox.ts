/**
 * Reads files that may be hostile in a process of its own: it has a bound of memory and of time, no secrets in its
 * environment, and is ended when it goes over. It is started for the first such file and kept for the next.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CodedError } from '../../contract.ts';
import { Unreadable } from './document.ts';
import type { ReadFile } from './passages.ts';
import type { Format } from './readers.ts';

export interface SandboxLimits {
  /** For one file, plus what its size allows. */
  ms: number;
  msPerMb: number;
  /** Resident memory of the whole process. */
  bytes: number;
}

export const LIMITS: SandboxLimits = { ms: 30_000, msPerMb: 3000, bytes: 1024 * 1024 * 1024 };

export interface Sandbox {
  /** Throws Unreadable when the file cannot be read within the limits, `cancelled` when it is not to be waited for. */
  read(format: Format, bytes: Uint8Array, source: string, signal?: AbortSignal): Promise<ReadFile>;
  close(): void;
}

/** What the parent sends and what the child answers; bytes go over as they are. */
export interface Task {
  format: string;
  source: string;
  bytes: Uint8Array;
}
export type Reply = { ok: true; file: ReadFile } | { ok: false; reason: string };

const CHILD = fileURLToPath(new URL('./sandbox-child.ts', import.meta.url));

export function createSandbox(limits: SandboxLimits = LIMITS): Sandbox {
  let child: ChildProcess | undefined;
  return {
    async read(format, bytes, source, signal) {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null || !child.connected)
        child = await start(limits);
      const reply = await ask(child, { format: format.name, bytes, source }, limits, signal);
      if (!reply.ok) throw new Unreadable(reply.reason);
      return reply.file;
    },
    close() {
      child?.kill('SIGKILL');
      child = undefined;
    },
  };
}

async function start({ bytes }: SandboxLimits): Promise<ChildProcess> {
  const heap = Math.floor((bytes / 1024 / 1024) * 0.6);
  const child = fork(CHILD, [String(bytes)], {
    execArgv: ['--import', import.meta.resolve('tsx'), `--max-old-space-size=${heap}`],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // Its first message says that it is ready: its start is not to count as time of the file.
  await Promise.race([once(child, 'message'), once(child, 'exit')]);
  child.unref();
  child.channel?.unref();
  return child;
}

function ask(child: ChildProcess, task: Task, limits: SandboxLimits, signal: AbortSignal | undefined): Promise<Reply> {
  const allowed = limits.ms + limits.msPerMb * (task.bytes.length / 1024 / 1024);
  return new Promise((resolve, reject) => {
    let late = false;
    const stop = () => child.kill('SIGKILL');
    const timer = setTimeout(() => {
      late = true;
      stop();
    }, allowed);
    const end = () => {
      clearTimeout(timer);
      child.off('message', answered);
      child.off('exit', ended);
      signal?.removeEventListener('abort', stop);
    };
    const answered = (reply: Reply) => {
      end();
      resolve(reply);
    };
    const ended = () => {
      end();
      if (signal?.aborted) reject(new CodedError('cancelled', 'Stopped.'));
      else resolve({ ok: false, reason: reasonOf(late, allowed, limits) });
    };
    child.on('message', answered);
    child.on('exit', ended);
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    // One that has ended already says so by its exit; the error of sending adds nothing.
    child.send(task, () => undefined);
    if (child.exitCode !== null || child.signalCode !== null) ended();
  });
}

function reasonOf(late: boolean, allowed: number, { bytes }: SandboxLimits): string {
  return late
    ? `takes longer than ${Math.round(allowed / 1000)} s to read`
    : `takes more than ${Math.round(bytes / 1024 / 1024)} MB of memory to read, or ends the reader`;
}
