/** Entry of the process that reads one hostile file after the other (sandbox.ts): its first argument bounds its memory. */
import { Worker } from 'node:worker_threads';
import { passagesOf } from './passages.ts';
import { formatNamed } from './readers.ts';
import type { Reply, Task } from './sandbox.ts';

/**
 * A thread beside the parser: it sees memory outside the JavaScript heap, and that the parent is gone, also while the
 * parser is busy and no message would be heard.
 */
const WATCHDOG = `
  const { workerData: { limit, parent } } = require('node:worker_threads');
  setInterval(() => {
    if (process.memoryUsage.rss() > limit || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, 50);
`;

const limit = Number(process.argv[2]);
new Worker(WATCHDOG, { eval: true, execArgv: [], workerData: { limit, parent: process.ppid } }).unref();

process.on('disconnect', () => process.exit(0));
process.on('message', async (task: Task) => {
  const reply = await answer(task);
  process.send?.(reply);
});
process.send?.('ready');

async function answer({ format: name, bytes, source }: Task): Promise<Reply> {
  const format = formatNamed(name);
  if (format === undefined) return { ok: false, reason: `has no reader ${name}` };
  try {
    return { ok: true, file: await passagesOf(format, bytes, source) };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
