/** A real Milvus Lite, started by scripts/milvus-lite.sh in a folder of its own; the pip package is installed once. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CodedError } from '../../contract.ts';
import { parseAddress } from '../stores/milvus/address.ts';
import { openEngine } from '../stores/milvus/client.ts';

export interface Milvus {
  /** HOST:PORT. */
  host: string;
  /** A name no index has yet. */
  fresh(): string;
  /** Ends it as `kill -9` does; its data stay. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  start(): Promise<void>;
  /** Stops and wakes its process, as a machine does that hangs. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  stop(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL('../../../scripts/milvus-lite.sh', import.meta.url));
/** The first start installs the package. */
const START_MS = 280_000;

export async function startMilvus(): Promise<Milvus> {
  const folder = mkdtempSync(join(tmpdir(), 'askdocs-milvus-'));
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  let names = 0;
  const start = async () => {
    child = await launch(folder, port, host);
  };
  const kill = async () => {
    const dying = child;
    child = undefined;
    if (dying === undefined || dying.exitCode !== null) return;
    const gone = new Promise((resolve) => dying.once('exit', resolve));
    dying.kill('SIGKILL');
    await gone;
  };
  await start();
  return {
    host,
    fresh: () => `milvus://${host}/test_${++names}`,
    kill,
    start,
    signal: (name) => void child?.kill(name),
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function launch(folder: string, port: number, host: string): Promise<ChildProcess> {
  const child = spawn(SCRIPT, ['--data-dir', folder, '--port', String(port), '--with-parent'], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr?.on('data', (data: Buffer) => {
    said = (said + data).slice(-3000);
  });
  const until = performance.now() + START_MS;
  while (!(await answers(host))) {
    if (child.exitCode !== null || performance.now() > until) {
      child.kill('SIGKILL');
      throw new Error(`Milvus Lite did not come up; it said: ${said}`);
    }
    await sleep(300);
  }
  return child;
}

async function answers(host: string): Promise<boolean> {
  const engine = await openEngine(parseAddress(`milvus://${host}/none`));
  try {
    await engine.run((client) => client.showCollections(), 5_000);
    return true;
  } catch (error) {
    if (error instanceof CodedError) return false;
    throw error;
  } finally {
    engine.close();
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
