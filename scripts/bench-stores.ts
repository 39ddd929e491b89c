/**
 * `npm run bench:stores`: the same documents and questions over SQLite and over Milvus, how well both find and how long a
 * search takes. `--docs data/corpus --cases cases/demo.jsonl`. With `--store milvus://HOST:PORT/COLLECTION` over a Milvus
 * that runs, its index under that name; without, over a Milvus Lite that is started for it.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadCases } from '../harness/cases.ts';
import { measureSet, rankDocuments } from '../harness/retrieval-set.ts';
import type { Embedder } from '../service/search/embed/embedder.ts';
import { embedSettings, openEmbedder } from '../service/search/embed/open.ts';
import { indexPaths } from '../service/search/ingest/index.ts';
import { type Mode, openStore, type Store } from '../service/search/store.ts';
import { parseAddress, shown, withToken } from '../service/search/stores/milvus/address.ts';
import { freePort } from './free-port.ts';
import { createProgress } from './progress.ts';
import { type Stop, startEngine } from './proofs/replicas/processes.ts';

const MODES: readonly Mode[] = ['lexical', 'hybrid'];
const MEASURES = ['recall@5', 'nDCG@10'];
/** How far the two may be apart. */
const AGREE = 0.02;
/** Passages asked for, so that ten documents are among them. */
const K = 100;

interface Question {
  id: string;
  question: string;
  files: readonly string[];
}

interface Result {
  scores: Map<string, number>;
  times: number[];
  top: Map<string, string | undefined>;
}

const progress = createProgress();
process.exitCode = await main().finally(() => progress.end());

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      store: { type: 'string' },
      docs: { type: 'string', default: 'data/corpus' },
      cases: { type: 'string', default: 'cases/demo.jsonl' },
    },
  });
  if (values.store !== undefined) parseAddress(values.store);
  if (!existsSync(values.docs))
    return skipped(`there is nothing at ${values.docs}; npm run corpus makes the demo corpus`);
  const { embedder, note } = await openEmbedder(embedSettings(process.env));
  if (embedder === null) return skipped(`it needs the embedder: ${note}`);
  const questions = loadCases(values.cases).filter(({ files }) => files.length > 0);
  const folder = mkdtempSync(join(tmpdir(), 'askdocs-stores-'));
  const given = values.store === undefined ? undefined : withToken(values.store, process.env.ASKDOCS_SEARCH_TOKEN);
  const engine = given === undefined ? await startLite(folder) : { store: given, stop: undefined };
  try {
    if (engine instanceof Error) return skipped(`no Milvus Lite could be started: ${engine.message}`);
    console.log(
      `Node ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}`,
    );
    const where = given === undefined ? 'Milvus Lite' : `Milvus at ${shown(given)}`;
    console.log(`${questions.length} answerable questions of ${values.cases}; ${where}\n`);
    const stores = { SQLite: join(folder, 'docs.db'), Milvus: engine.store };
    await compare(stores, { docs: values.docs, embedder, questions });
    return 0;
  } finally {
    if (!(engine instanceof Error)) await engine.stop?.();
    rmSync(folder, { recursive: true });
  }
}

async function startLite(folder: string): Promise<{ store: string; stop: Stop } | Error> {
  const port = await freePort();
  try {
    const stop = await startEngine(join(folder, 'engine'), port);
    return { store: `milvus://127.0.0.1:${port}/docs`, stop };
  } catch (error) {
    return error as Error;
  }
}

/** What is missing is said, and fails no run of all benchmarks. */
function skipped(why: string): number {
  console.log(`Skipped: ${why}`);
  return 0;
}

async function compare(stores: Record<string, string>, wanted: Wanted): Promise<void> {
  const embedder = withMemory(wanted.embedder);
  const results: Record<string, Record<string, Result>> = {};
  for (const [name, db] of Object.entries(stores)) results[name] = await measure(name, db, { ...wanted, embedder });
  print(results, wanted.questions);
}

interface Wanted {
  docs: string;
  embedder: Embedder;
  questions: readonly Question[];
}

async function measure(
  name: string,
  db: string,
  { docs, embedder, questions }: Wanted,
): Promise<Record<string, Result>> {
  const built = await indexPaths({ roots: [docs], db, embedder, rebuild: true, onProgress: progress.update });
  const again = await indexPaths({ roots: [docs], db, embedder });
  progress.end();
  console.log(
    `${name}: ${built.passages} passages of ${built.files} files indexed in ${(built.ms / 1000).toFixed(1)} s, embedding included once; a run without changes ${(again.ms / 1000).toFixed(2)} s`,
  );
  const store = await openStore(db, { embedder });
  try {
    const results: Record<string, Result> = {};
    for (const mode of MODES) results[mode] = await ask(store, mode, questions);
    return results;
  } finally {
    store.close();
  }
}

async function ask(store: Store, mode: Mode, questions: readonly Question[]): Promise<Result> {
  const run = new Map<string, string[]>();
  const top = new Map<string, string | undefined>();
  const times: number[] = [];
  await store.search({ query: 'warm up', k: 5, mode });
  for (const { id, question } of questions) {
    const started = performance.now();
    await store.search({ query: question, k: 5, mode });
    times.push(performance.now() - started);
    const { passages } = await store.search({ query: question, k: K, mode, gate: false });
    run.set(
      id,
      rankDocuments(passages).map((document) => document.id),
    );
    top.set(id, passages[0]?.text);
    progress.update(times.length, questions.length, mode);
  }
  const qrels = new Map(questions.map(({ id, files }) => [id, new Map(files.map((file) => [file, 1]))]));
  const scores = new Map(measureSet(run, qrels).map(({ name, value }) => [name, value]));
  return { scores, times, top };
}

function print(results: Record<string, Record<string, Result>>, questions: readonly Question[]): void {
  console.log('\n| search | store | recall@5 | nDCG@10 | p50 ms | p95 ms |\n|---|---|---|---|---|---|');
  for (const mode of MODES) {
    for (const [store, byMode] of Object.entries(results)) {
      const result = byMode[mode];
      if (result === undefined) continue;
      const scores = MEASURES.map((name) => (result.scores.get(name) ?? 0).toFixed(3));
      console.log(
        `| ${mode} | ${store} | ${scores.join(' | ')} | ${quantile(result.times, 0.5)} | ${quantile(result.times, 0.95)} |`,
      );
    }
  }
  for (const mode of MODES) {
    const [one, other] = Object.values(results).map((byMode) => byMode[mode]);
    const same = questions.filter(({ id }) => one?.top.get(id) === other?.top.get(id)).length;
    console.log(`\n${mode}: the same passage first for ${same} of ${questions.length} questions`);
    for (const name of MEASURES) {
      const difference = Math.abs((other?.scores.get(name) ?? 0) - (one?.scores.get(name) ?? 0));
      const verdict = difference <= AGREE ? 'holds' : 'MISSED';
      console.log(`${mode} ${name}, Milvus against SQLite ${difference.toFixed(3)} <= ${AGREE}: ${verdict}`);
    }
  }
}

/** The second index takes the vectors of the first: what is compared is the store. */
function withMemory(embedder: Embedder): Embedder {
  const known = new Map<string, Float32Array>();
  return {
    ...embedder,
    async embedPassages(texts) {
      const missing = texts.filter((text) => !known.has(text));
      const made = missing.length === 0 ? [] : await embedder.embedPassages(missing);
      missing.forEach((text, at) => {
        known.set(text, made[at] ?? new Float32Array());
      });
      return texts.map((text) => known.get(text) ?? new Float32Array());
    },
  };
}

function quantile(times: readonly number[], share: number): string {
  const sorted = [...times].sort((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
}
