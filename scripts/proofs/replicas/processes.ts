/** The processes of the replica test: an engine, a model's stand-in, services. Each ends with this one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../setup.ts';

export interface Replica {
  url: string;
  /** Spans of performance.now() in which the process was not there or was told to end; the last may be open. */
  downs: { from: number; to: number }[];
  start(): Promise<void>;
  /** SIGKILL: as a crash. SIGTERM: as a restart by an operator. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

export type Stop = () => Promise<void>;

const START_MS = 120_000;

export async function startEngine(folder: string, port: number): Promise<Stop> {
  const child = launch(join(ROOT, 'scripts', 'milvus-lite.sh'), [
    '--data-dir',
    folder,
    '--port',
    String(port),
    '--with-parent',
  ]);
  await listening(child, port);
  return () => ended(child, 'SIGKILL');
}

/** Answers of about half a second in `slots` slots, so that a kill meets some of them. */
export async function startModel(port: number, slots: number): Promise<Stop> {
  const rates = ['--prefill-per-second', '20000', '--step-ms', '10', '--slot-ms', '1', '--answer-tokens', '40'];
  const child = launch(process.execPath, [
    ...NODE,
    join(ROOT, 'loadtest', 'stand-in.ts'),
    '--port',
    String(port),
    '--slots',
    String(slots),
    ...rates,
  ]);
  await listening(child, port);
  return () => ended(child, 'SIGTERM');
}

export function replica(port: number, env: Record<string, string>): Replica {
  const url = `http://127.0.0.1:${port}`;
  const downs: Replica['downs'] = [];
  let child: Launched | undefined;
  return {
    url,
    downs,
    async start() {
      child = launch(
        process.execPath,
        [...NODE, join(ROOT, 'scripts', 'askdocs.ts'), 'serve', '--port', String(port)],
        env,
      );
      await answering(child, url);
      const last = downs.at(-1);
      if (last !== undefined) last.to = performance.now();
    },
    async end(signal) {
      downs.push({ from: performance.now(), to: Number.POSITIVE_INFINITY });
      if (child !== undefined) await ended(child, signal);
      child = undefined;
    },
  };
}

const NODE = ['--import', join(ROOT, 'scripts', 'with-parent.js'), '--import', import.meta.resolve('tsx')];

interface Launched {
  process: ChildProcess;
  /** The end of what it wrote on stderr. */
  said(): string;
}

function launch(program: string, args: readonly string[], env: Record<string, string> = {}): Launched {
  const child = spawn(program, args, { cwd: ROOT, env: { ...process.env, ...env }, stdio: ['pipe', 'ignore', 'pipe'] });
  let said = '';
  // Read in any case: a process whose pipe is full stands still.
  child.stderr?.on('data', (data: Buffer) => {
    said = (said + data).slice(-2_000);
  });
  return { process: child, said: () => said };
}

async function ended({ process: child }: Launched, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

async function listening(child: Launched, port: number): Promise<void> {
  const { connect } = await import('node:net');
  await until(child, () => {
    const socket = connect(port, '127.0.0.1');
    return once(socket, 'connect').then(
      () => {
        socket.destroy();
        return true;
      },
      () => false,
    );
  });
}

async function answering(child: Launched, url: string): Promise<void> {
  await until(child, () =>
    fetch(`${url}/readyz`).then(
      async (response) => {
        await response.body?.cancel();
        return response.ok;
      },
      () => false,
    ),
  );
}

async function until({ process: child, said }: Launched, isUp: () => Promise<boolean>): Promise<void> {
  const failed = (what: string) => new Error(`${child.spawnargs.join(' ')} ${what}; it said: ${said()}`);
  for (const before = performance.now(); performance.now() - before < START_MS; ) {
    if (child.exitCode !== null) throw failed(`ended with ${child.exitCode}`);
    if (await isUp()) return;
    await sleep(100);
  }
  throw failed('did not come up');
}
