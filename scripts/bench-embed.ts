/**
 * `npm run bench:embed`: the local embedder beside the same model in one session of onnxruntime on all cores. What one
 * question costs in time and in processor time: threads that wait by spinning cost without working, so a pause follows
 * each question, as it does in earnest. And how many passages a second there are.
 * Exit 1 when a goal is missed; needs `askdocs models pull`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Embedder } from '../service/search/embed/embedder.ts';
import { embedSettings, localModel, openEmbedder } from '../service/search/embed/open.ts';
import { median } from './bench/client.ts';
import { atLeast, atMost, printGoals } from './bench/goals.ts';
import './bench/plain.ts';
import { perSecond } from './bench/rate.ts';
import { seededRecords } from './bench/seeded.ts';

const QUESTION = 'How large may the body of a request be before it is refused, and who sets that?';
const ROUNDS = 60;
const PAUSE_MS = 50;
const PASSAGES = 150;

const settings = embedSettings(process.env);
const { embedder, note } = await openEmbedder(settings);
const folder = localModel(settings);
if (embedder === null || folder === undefined) {
  process.stdout.write(`Skipped: it needs the local embedder. ${note ?? ''}\n`);
} else {
  // Loaded where it is used: its packages are optional.
  const { plainOnnx } = await import('./bench/plain-onnx.ts');
  const plain = await plainOnnx(folder);
  const one = await cost(() => embedder.embedQuery(QUESTION));
  const all = await cost(() => plain([QUESTION]));
  process.stdout.write(
    `one thread: ${one.ms.toFixed(1)} ms, ${one.processorMs.toFixed(1)} ms of processor time; all cores: ${all.ms.toFixed(1)} ms, ${all.processorMs.toFixed(1)} ms\n`,
  );
  const { ours, theirs } = await passageRates(embedder, plain);
  process.stdout.write(`passages a second: ${ours.toFixed(1)}; one session on all cores: ${theirs.toFixed(1)}\n`);
  const met = printGoals([
    atMost('processor time of a question, one thread / all cores', one.processorMs / all.processorMs, 0.5),
    atLeast('passages a second, threads of their own / one session', ours / theirs, 0.95),
  ]);
  process.exitCode = met ? 0 : 1;
}

/** Of passages that fit the window, by turns, so that a machine that slows down meanwhile slows both. */
async function passageRates(embedder: Embedder, plain: (texts: readonly string[]) => Promise<unknown>) {
  const texts = [...seededRecords(PASSAGES)].flatMap(({ text }) => embedder.pieces(text));
  const rates = { ours: [] as number[], theirs: [] as number[] };
  for (let i = 0; i < 4; i += 1) {
    rates.theirs.push(await perSecond(texts.length, () => plain(texts)));
    rates.ours.push(await perSecond(texts.length, () => embedder.embedPassages(texts)));
  }
  return { ours: median(rates.ours), theirs: median(rates.theirs) };
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
