/** The parts of a load test, each a process of its own as in earnest: none slows another's event loop down. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../scripts/free-port.ts';
import { CodedError } from '../service/contract.ts';

export interface Running {
  /** Without a path. */
  url: string;
  pid: number;
  stop(): Promise<void>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const START_MS = 60_000;
const TSX = ['--import', import.meta.resolve('tsx')];
const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
/** Arguments of Node with which a program started with `quiet` ends with this process, however this one ends. */
export const WITH_PARENT = ['--import', new URL('../scripts/with-parent.js', import.meta.url).href];

/** The stand-in for a llama.cpp server; `options` are those of stand-in.ts. */
export function startStandInProcess(options: Record<string, number>): Promise<Running> {
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return start('/health', (port) =>
    spawn(
      process.execPath,
      [...WITH_PARENT, ...TSX, path('./stand-in.ts'), ...args, '--port', String(port)],
      quiet(process.env),
    ),
  );
}

/** `askdocs serve` with these settings on top of the given environment; `nodeArgs` go to Node itself. */
export function startServiceProcess(
  environment: Environment,
  settings: Record<string, string>,
  nodeArgs: readonly string[] = [],
): Promise<Running> {
  return start('/readyz', (port) =>
    spawn(process.execPath, [...WITH_PARENT, ...nodeArgs, path('../scripts/askdocs.js'), 'serve'], {
      ...quiet({ ...environment, ...settings, ASKDOCS_HOST: '127.0.0.1', ASKDOCS_PORT: String(port) }),
    }),
  );
}

export function quiet(env: Environment) {
  return { env, stdio: ['pipe', 'ignore', 'pipe'] as ['pipe', 'ignore', 'pipe'] };
}

/** Waits until `probe` answers; what the process said before it failed stands in the error. */
export async function start(probe: string, spawnOn: (port: number) => ChildProcess): Promise<Running> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawnOn(port);
  let said = '';
  child.stderr?.on('data', (data) => {
    said = (said + data).slice(-2000);
  });
  let ended = false;
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve())).then(() => {
    ended = true;
  });
  const running = {
    url,
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 30_000);
      await exit;
      clearTimeout(late);
    },
  };
  const until = performance.now() + START_MS;
  while (!(await answers(url + probe))) {
    if (!ended && performance.now() < until) {
      await sleep(50);
      continue;
    }
    await running.stop();
    throw new CodedError('unavailable', `A part did not start; it said: ${said.trim() || 'nothing'}`);
  }
  return running;
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  );
}
