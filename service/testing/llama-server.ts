/** A real llama.cpp server with the tiny model, started by scripts/llama-server.sh; what it needs is fetched once. */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/free-port.ts';

export interface LlamaServer {
  /** Without `/v1`. */
  root: string;
  /** Slots that are at work. */
  busySlots(): Promise<number>;
  stop(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL('../../scripts/llama-server.sh', import.meta.url));

export async function startLlama({
  slots = 4,
  context = 4096,
  model = 'tiny',
  startMs = 280_000,
} = {}): Promise<LlamaServer> {
  const port = await freePort();
  const sizes = ['--slots', String(slots), '--context', String(context), '--port', String(port)];
  const child = spawn(SCRIPT, [model, ...sizes, '--with-parent'], { stdio: ['pipe', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (data) => {
    said = (said + data).slice(-3000);
  });
  let ended = false;
  const exit = new Promise<void>((resolve) => child.on('exit', () => resolve())).then(() => {
    ended = true;
  });
  const root = `http://127.0.0.1:${port}`;
  const until = performance.now() + startMs;
  while (!(await isUp(root))) {
    if (ended || performance.now() > until) {
      child.kill('SIGKILL');
      throw new Error(`the llama.cpp server did not come up; it said: ${said}`);
    }
    await sleep(200);
  }
  return {
    root,
    async busySlots() {
      const list = (await (await fetch(`${root}/slots`)).json()) as { is_processing: boolean }[];
      return list.filter((slot) => slot.is_processing).length;
    },
    async stop() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 5000);
      await exit;
      clearTimeout(late);
    },
  };
}

async function isUp(root: string): Promise<boolean> {
  return fetch(`${root}/health`).then(
    (response) => response.ok,
    () => false,
  );
}
