/** One model's server for one phase: started through scripts/llama-server.sh, waited for, used, stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CodedError } from '../service/contract.ts';
import { freePort } from './free-port.ts';

export interface LlamaServer {
  /** Up to and with `/v1`. */
  baseUrl: string;
  model: string;
  slots: number;
  stop(): Promise<void>;
}

/** A large model on a slow disk takes minutes to load. */
const START_MS = 300_000;
const STOP_MS = 10_000;
const SCRIPT = fileURLToPath(new URL('llama-server.sh', import.meta.url));

/** Rejects with a sentence that has the server's own last words when it does not come up. */
export async function startLlama(
  gguf: string,
  slots: number,
  signal: AbortSignal,
  startMs = START_MS,
): Promise<LlamaServer> {
  if (gguf !== 'tiny' && !existsSync(gguf)) throw new CodedError('bad_input', `there is no model file ${gguf}`);
  const port = await freePort();
  const child = spawn('bash', [SCRIPT, gguf, '--port', String(port), '--slots', String(slots), '--with-parent'], {
    // Its stdin is never written to: its end tells the server that this process is gone.
    stdio: ['pipe', 'pipe', 'pipe'],
    // Its own group: the script's children must not outlive it.
    detached: true,
  });
  const said: string[] = [];
  const listen = (chunk: Buffer) => said.splice(0, Math.max(0, said.push(String(chunk)) - 50));
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  const stop = () => stopGroup(child);
  try {
    await waitUntilReady(child, port, signal, startMs);
  } catch (cause) {
    await stop();
    const last = said.join('').trim().split('\n').slice(-5).join('\n');
    throw new CodedError(
      'unavailable',
      `the server for ${basename(gguf)} did not come up: ${(cause as Error).message}\n${last}`,
      { cause },
    );
  }
  return { baseUrl: `http://127.0.0.1:${port}/v1`, model: basename(gguf).replace(/\.gguf$/i, ''), slots, stop };
}

async function waitUntilReady(child: ChildProcess, port: number, signal: AbortSignal, startMs: number): Promise<void> {
  const until = Date.now() + startMs;
  while (Date.now() < until) {
    signal.throwIfAborted();
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`it ended with code ${child.exitCode ?? child.signalCode}`);
    const healthy = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(2000) }).then(
      (response) => response.ok,
      () => false,
    );
    if (healthy) return;
    await sleep(200);
  }
  throw new Error(`it was not ready after ${Math.round(startMs / 1000)} s`);
}

/** Asks the whole group to end, then ends it. */
async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  kill(child.pid, 'SIGTERM');
  await Promise.race([ended, sleep(STOP_MS, undefined, { ref: false })]);
  if (child.exitCode === null && child.signalCode === null) kill(child.pid, 'SIGKILL');
  await ended;
}

function kill(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // It ended in the meantime.
  }
}
