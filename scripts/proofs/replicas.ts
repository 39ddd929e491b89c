/**
 * Two replicas of the service behind nginx, over one Milvus and one model's server, all of them processes: replicas are
 * killed and restarted under load, and no answer is lost but those in flight at the one that was killed.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { indexPaths } from '../../service/search/ingest/index.ts';
import { freePort } from '../free-port.ts';
import { nginxVersion, startNginxWith } from './nginx-server.ts';
import { ask, type Outcome, startLoad } from './replicas/load.ts';
import { type Replica, replica, startEngine, startModel } from './replicas/processes.ts';
import { keep, ROOT } from './setup.ts';

const SLOTS = 4;
const REPLICAS = 2;
const ASKERS = 4;
/** A crash of each replica, an orderly restart of each, and a crash of the first again. */
const ENDS: ['SIGKILL' | 'SIGTERM', number][] = [
  ['SIGKILL', 0],
  ['SIGKILL', 1],
  ['SIGTERM', 0],
  ['SIGTERM', 1],
  ['SIGKILL', 0],
];
const BETWEEN_MS = 4_000;
const COUNTED = 20;

type Say = (name: string, holds: boolean, shown: string) => void;

export async function proveReplicas(): Promise<boolean> {
  const lines = [nginxVersion(), ''];
  const held: boolean[] = [];
  const say: Say = (name, holds, shown) => {
    held.push(holds);
    lines.push(`${holds ? 'ok  ' : 'FAIL'} ${name}: ${shown}`);
    console.error(lines.at(-1));
  };
  const folder = mkdtempSync(join(tmpdir(), 'askdocs-replicas-'));
  const stops: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    const [enginePort, modelPort, ...ports] = await Promise.all(Array.from({ length: REPLICAS + 3 }, freePort));
    stops.push(await startEngine(folder, Number(enginePort)));
    stops.push(await startModel(Number(modelPort), SLOTS));
    const db = `milvus://127.0.0.1:${enginePort}/replicas`;
    await indexPaths({ roots: [join(ROOT, 'docs')], db });
    const env = settings(db, Number(modelPort));
    const replicas = ports.slice(0, REPLICAS).map((port) => replica(port, env));
    for (const each of replicas) stops.push(() => each.end('SIGKILL'));
    await Promise.all(replicas.map((each) => each.start()));
    await proveShare(Number(ports[REPLICAS]), env, replicas, say);
    const nginx = await startNginxWith(nginxConfig(replicas));
    stops.push(nginx.close);
    await proveSums(nginx.url, replicas, say);
    await proveKills(nginx.url, replicas, say);
    keep('replicas', lines.join('\n'));
    return held.every(Boolean);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

function settings(db: string, modelPort: number): Record<string, string> {
  return {
    ASKDOCS_MCP_DB: db,
    ASKDOCS_EMBED_MODEL: 'none',
    ASKDOCS_LLM_PROVIDER: 'llamacpp',
    ASKDOCS_LLM_BASE_URL: `http://127.0.0.1:${modelPort}/v1`,
    ASKDOCS_MAX_CONCURRENT: String(SLOTS / REPLICAS),
    ASKDOCS_LLM_SLOTS_SHARE: `1/${REPLICAS}`,
    ASKDOCS_FENCE_SECRET: 'the same for every replica',
  };
}

/** The file that the documentation hands out, with other ports. */
function nginxConfig(replicas: readonly Replica[]) {
  const text = readFileSync(join(ROOT, 'compose', 'nginx-replicas.conf'), 'utf8');
  const ports = replicas.map(({ url }) => new URL(url).port);
  return (listen: number) =>
    text
      .replace(/server 127\.0\.0\.1:800(\d)/g, (_, at: string) => `server 127.0.0.1:${ports[Number(at) - 1]}`)
      .replace('listen 127.0.0.1:8000', `listen 127.0.0.1:${listen}`);
}

async function notesOf({ url }: Replica): Promise<string[]> {
  return ((await (await fetch(`${url}/healthz`)).json()) as { notes: string[] }).notes;
}

/** The limits add up to the slots; a replica that takes itself for the only one says at its start that they do not. */
async function proveShare(
  port: number,
  env: Record<string, string>,
  replicas: readonly Replica[],
  say: Say,
): Promise<void> {
  const quiet = (await Promise.all(replicas.map(notesOf))).flat().filter((note) => note.includes('slots'));
  say(
    'limits that add up to the slots',
    quiet.length === 0,
    `${REPLICAS} replicas of ${SLOTS / REPLICAS}, ${SLOTS} slots, nothing to say`,
  );
  const alone = replica(port, { ...env, ASKDOCS_LLM_SLOTS_SHARE: '1' });
  try {
    await alone.start();
    const note = (await notesOf(alone)).find((each) => each.includes('slots')) ?? 'nothing was said';
    say('a replica with a wrong share says so at its start', note.includes(`llama.cpp has ${SLOTS} slots`), note);
  } finally {
    await alone.end('SIGKILL');
  }
}

/** What the replicas count adds up to what was asked. */
async function proveSums(url: string, replicas: readonly Replica[], say: Say): Promise<void> {
  const before = await counted(replicas);
  for (let at = 0; at < COUNTED; at += 2) await Promise.all([ask(url), ask(url)]);
  const after = await counted(replicas);
  const each = after.map((count, at) => count - (before[at] ?? 0));
  const sum = each.reduce((all, count) => all + count, 0);
  say(
    'askdocs_answers_total of all replicas, summed',
    sum === COUNTED && each.every((count) => count > 0),
    `${each.join(' + ')} = ${sum} of ${COUNTED} asked`,
  );
}

async function counted(replicas: readonly Replica[]): Promise<number[]> {
  return Promise.all(
    replicas.map(async ({ url }) => {
      const text = await (await fetch(`${url}/metrics`)).text();
      const samples = [...text.matchAll(/^askdocs_answers_total(?:\{[^}]*\})? (\d+)/gm)];
      return samples.reduce((sum, [, value]) => sum + Number(value), 0);
    }),
  );
}

async function proveKills(url: string, replicas: readonly Replica[], say: Say): Promise<void> {
  const load = startLoad(url, ASKERS);
  for (const [signal, at] of ENDS) {
    await sleep(BETWEEN_MS);
    const each = replicas[at];
    await each?.end(signal);
    await each?.start();
    console.error(`replica ${at + 1} ended by ${signal} and started again; ${load.outcomes.length} questions so far`);
  }
  await sleep(BETWEEN_MS);
  await load.stop();
  const { outcomes } = load;
  const done = outcomes.filter(({ end }) => end === 'done');
  const refused = outcomes.filter(({ end }) => end === 'refused');
  const bad = outcomes.filter(({ end }) => end === 'error' || end === 'cut');
  const inFlight = bad.filter((outcome) => wasKilled(outcome, replicas));
  const rest = bad.filter((outcome) => !inFlight.includes(outcome));
  const lost = rest.filter(({ end }) => end === 'cut').length;
  const badly = rest.filter(({ end }) => end === 'error').length;
  for (const { why, status, servedBy } of rest) console.error(`  ${status} by ${servedBy.join(', ')}: ${why}`);
  const moved = done.filter(({ servedBy }) => servedBy.length > 1).length;
  say(
    `${outcomes.length} questions of ${ASKERS} askers, ${ENDS.filter(([signal]) => signal === 'SIGKILL').length} crashes and ${ENDS.filter(([signal]) => signal === 'SIGTERM').length} orderly restarts`,
    lost === 0 && badly === 0 && done.length > 0,
    `${lost} lost, ${badly} badly ended; ${done.length} answered (${moved} after another replica had refused or died), ${refused.length} refused with 503 while slots were missing, ${inFlight.length} in flight at a replica that was killed`,
  );
}

/** Whether its replica was killed while the answer was under way. */
function wasKilled({ servedBy, from, to }: Outcome, replicas: readonly Replica[]): boolean {
  const address = servedBy.at(-1);
  const own = replicas.filter((each) => address === undefined || new URL(each.url).host === address);
  return own.some(({ downs }) => downs.some((down) => down.from < to && down.from > from));
}
