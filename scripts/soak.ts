/**
 * Runs the service for minutes under answers, leavers, bad input and a retriever killed every 20 s, and checks that
 * every stream ended well, no slot was lost and memory does not grow: `npm run soak -- --minutes 10`.
 */
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Running, startStandInProcess } from '../loadtest/processes.ts';
import { type Health, healthSchema, statsSchema } from '../service/contract.ts';
import { startServiceProcess } from './bench/processes.ts';
import { createProgress } from './progress.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  console.error(`soak: --minutes is "${values.minutes}"; it must be a number above 0.`);
  process.exit(64);
}

const SLOTS = 4;
/** Growth of resident memory over the second half, at most, in MB a minute. */
const MAX_GROWTH = 2;
/** In a shorter run the heap is still filling up to its first full collection, which is growth and no leak. */
const MEMORY_MINUTES = 5;
const counts = {
  done: 0,
  error: 0,
  busy: 0,
  left: 0,
  refusedInput: 0,
  retrieversKilled: 0,
  badStreams: [] as string[],
};
const memory: { minute: number; mb: number }[] = [];

const model = await startStandInProcess({
  slots: SLOTS,
  'prefill-per-second': 20_000,
  'step-ms': 2,
  'slot-ms': 1,
  'answer-tokens': 60,
});
const service = await startServiceProcess({
  ASKDOCS_LLM_PROVIDER: 'llamacpp',
  ASKDOCS_LLM_BASE_URL: `${model.url}/v1`,
  ASKDOCS_MAX_CONCURRENT: String(SLOTS),
});
const started = performance.now();
const elapsed = () => (performance.now() - started) / 60_000;
try {
  await Promise.all([
    ...times(3, () => answers(service)),
    ...times(3, () => leaver(service)),
    badInput(service),
    killer(service),
    watch(service),
  ]);
  await settled(service);
  process.exitCode = await report(service);
} finally {
  await service.stop();
  await model.stop();
}

function times<T>(n: number, make: () => T): T[] {
  return Array.from({ length: n }, make);
}

function post({ url }: Running, body: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/ask`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: signal ?? null,
  });
}

function question(): string {
  return JSON.stringify({ question: `What is the default of bodyLimit, for the ${Math.random()}th time?` });
}

/** Asks, reads to the end, and checks that the stream is whole. */
async function answers(at: Running): Promise<void> {
  while (elapsed() < minutes) {
    const response = await post(at, question());
    if (response.status === 503) {
      counts.busy += 1;
      await response.text();
      await sleep(200);
      continue;
    }
    const events = [...(await response.text()).matchAll(/^event: (\w+)$/gm)].map(([, name]) => name);
    const ends = events.filter((name) => name === 'done' || name === 'error');
    if (ends.length !== 1 || events.at(-1) !== ends[0]) counts.badStreams.push(events.slice(-3).join(','));
    else counts[ends[0] as 'done' | 'error'] += 1;
  }
}

/** Leaves at a random moment: in retrieval, in prefill, in generation or just before the end. */
async function leaver(at: Running): Promise<void> {
  while (elapsed() < minutes) {
    await post(at, question(), AbortSignal.timeout(1 + Math.floor(Math.random() * 400)))
      .then((response) => response.text())
      .catch(() => undefined);
    counts.left += 1;
    await sleep(50);
  }
}

async function badInput(at: Running): Promise<void> {
  const bodies = [
    '{',
    '{"question": 3}',
    JSON.stringify({ question: 'x'.repeat(20_000) }),
    '{"question": "x", "k": 99}',
  ];
  for (let i = 0; elapsed() < minutes; i += 1) {
    const response = await post(at, bodies[i % bodies.length] as string);
    if (response.status === 422 || response.status === 413) counts.refusedInput += 1;
    else counts.badStreams.push(`bad input was answered with ${response.status}`);
    await response.text();
    await sleep(100);
  }
}

async function killer(at: Running): Promise<void> {
  for (let next = 20_000; elapsed() < minutes; await sleep(100)) {
    if (performance.now() - started < next) continue;
    next += 20_000;
    for (const pid of childrenOf(at.pid)) process.kill(pid, 'SIGKILL');
    counts.retrieversKilled += 1;
  }
}

async function watch(at: Running): Promise<void> {
  const progress = createProgress();
  while (elapsed() < minutes) {
    const kb = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(at.pid)], { encoding: 'utf8' }));
    memory.push({ minute: elapsed(), mb: kb / 1024 });
    progress.update(
      Math.round(elapsed() * 60),
      Math.round(minutes * 60),
      `s: ${counts.done} answers, ${Math.round(kb / 1024)} MB`,
    );
    await sleep(2000);
  }
  progress.end();
}

function childrenOf(pid: number): number[] {
  try {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number);
  } catch {
    return [];
  }
}

async function health({ url }: Running): Promise<Health> {
  return healthSchema.parse(await (await fetch(`${url}/healthz`)).json());
}

async function settled(at: Running): Promise<void> {
  for (let i = 0; i < 100 && (await health(at)).in_flight > 0; i += 1) await sleep(100);
}

async function report(at: Running): Promise<number> {
  const { in_flight } = await health(at);
  const stats = statsSchema.parse(await (await fetch(`${at.url}/stats`)).json());
  const half = memory.filter(({ minute }) => minute >= minutes / 2);
  const growth = slope(half);
  const checks: [string, boolean][] = [
    [
      `every stream ended with one done or error (${counts.done} done, ${counts.error} error, ${counts.badStreams.length} others)`,
      counts.badStreams.length === 0 && counts.done > 0,
    ],
    [`no slot is lost (${in_flight} in flight)`, in_flight === 0],
    [`no error inside the service (${stats.errors.internal})`, stats.errors.internal === 0],
  ];
  const grown = `memory grows by ${growth.toFixed(2)} MB a minute over the second half (${Math.round(half.at(-1)?.mb ?? 0)} MB at the end)`;
  if (minutes >= MEMORY_MINUTES) checks.push([`${grown}, at most ${MAX_GROWTH}`, growth <= MAX_GROWTH]);
  console.log(
    `${minutes} minutes: ${counts.left} left or stayed by chance, ${counts.busy} times 503, ${counts.refusedInput} bad inputs refused, ${counts.retrieversKilled} retrievers killed`,
  );
  for (const text of counts.badStreams.slice(0, 5)) console.log(`  a bad stream: ${text}`);
  for (const [text, holds] of checks) console.log(`${holds ? 'holds ' : 'MISSED'}  ${text}`);
  if (minutes < MEMORY_MINUTES) console.log(`not judged in less than ${MEMORY_MINUTES} minutes: ${grown}`);
  return checks.every(([, holds]) => holds) ? 0 : 1;
}

/** Least squares, MB a minute. */
function slope(points: readonly { minute: number; mb: number }[]): number {
  const mean = (pick: (point: { minute: number; mb: number }) => number) =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length;
  const [x, y] = [mean((p) => p.minute), mean((p) => p.mb)];
  const above = points.reduce((sum, p) => sum + (p.minute - x) * (p.mb - y), 0);
  return above / points.reduce((sum, p) => sum + (p.minute - x) ** 2, 0);
}
