/**
 * `npm run bench:embed`: what one question costs the local embedder, in time and in processor time, on the one thread that
 * questions have and on all cores as passages have them. Threads that wait by spinning cost without working, so a pause
 * follows each question, as it does in earnest. Exit 1 when the goal is missed; needs `askdocs models pull`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { embedSettings, openEmbedder } from '../service/search/embed/open.ts';
import { median } from './bench/client.ts';
import { atMost, printGoals } from './bench/goals.ts';
import './bench/plain.ts';

const QUESTION = 'How large may the body of a request be before it is refused, and who sets that?';
const ROUNDS = 60;
const PAUSE_MS = 50;
const GOAL = 0.5;

const { embedder, note } = await openEmbedder(embedSettings(process.env));
if (embedder === null || !embedder.fingerprint.startsWith('onnx:')) {
  process.stdout.write(`Skipped: it needs the local embedder. ${note ?? ''}\n`);
} else {
  const one = await cost(() => embedder.embedQuery(QUESTION));
  const all = await cost(() => embedder.embedPassages([QUESTION]));
  process.stdout.write(
    `one thread: ${one.ms.toFixed(1)} ms, ${one.processorMs.toFixed(1)} ms of processor time; all cores: ${all.ms.toFixed(1)} ms, ${all.processorMs.toFixed(1)} ms\n`,
  );
  const ratio = one.processorMs / all.processorMs;
  const met = printGoals([atMost('processor time of a question, one thread / all cores', ratio, GOAL)]);
  process.exitCode = met ? 0 : 1;
}

/** Median of the time, mean of the processor time; the pause after each is part of what it costs. */
async function cost(run: () => Promise<unknown>): Promise<{ ms: number; processorMs: number }> {
  for (let i = 0; i < 5; i += 1) await run();
  await sleep(200);
  const before = process.cpuUsage();
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i += 1) {
    const started = performance.now();
    await run();
    times.push(performance.now() - started);
    await sleep(PAUSE_MS);
  }
  const { user, system } = process.cpuUsage(before);
  return { ms: median(times), processorMs: (user + system) / 1000 / ROUNDS };
}
