/**
 * `npm run bench:stores -- --store milvus://HOST:PORT/COLLECTION`: the same documents and questions over SQLite and over
 * Milvus, how well both find and how long a search takes. Writes its index under the given name. `--docs data/corpus
 * --cases cases/demo.jsonl`; a Milvus to try it with: scripts/milvus-lite.sh.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadCases } from '../harness/cases.ts';
import { measureSet, rankDocuments } from '../harness/retrieval-set.ts';
import { CodedError } from '../service/contract.ts';
import type { Embedder } from '../service/search/embed/embedder.ts';
import { embedSettings, openEmbedder } from '../service/search/embed/open.ts';
import { indexPaths } from '../service/search/ingest/index.ts';
import { type Mode, openStore, type Store } from '../service/search/store.ts';
import { shown, withToken } from '../service/search/stores/milvus/address.ts';

import { createProgress } from './progress.ts';

const MODES: readonly Mode[] = ['lexical', 'hybrid'];
const MEASURES = ['recall@5', 'nDCG@10'];
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
  if (values.store === undefined)
    throw new CodedError('bad_input', 'Name the other store: --store milvus://HOST:PORT/COLLECTION');
  const { embedder, note } = await openEmbedder(embedSettings(process.env));
  if (embedder === null) throw new CodedError('unavailable', `The comparison needs the embedder: ${note}`);
  const questions = loadCases(values.cases).filter(({ files }) => files.length > 0);
  const folder = mkdtempSync(join(tmpdir(), 'askdocs-stores-'));
  const remembering = withMemory(embedder);
  try {
    console.log(
      `Node ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}`,
    );
    const stores = {
      SQLite: join(folder, 'docs.db'),
      Milvus: withToken(values.store, process.env.ASKDOCS_SEARCH_TOKEN),
    };
    console.log(`${questions.length} answerable questions of ${values.cases}; Milvus at ${shown(values.store)}\n`);
    const results: Record<string, Record<string, Result>> = {};
    for (const [name, db] of Object.entries(stores))
      results[name] = await measure(name, db, { docs: values.docs, embedder: remembering, questions });
    print(results, questions);
    return 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
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
    const differences = MEASURES.map(
      (name) => `${name} ${((other?.scores.get(name) ?? 0) - (one?.scores.get(name) ?? 0)).toFixed(3)}`,
    );
    console.log(
      `\n${mode}: Milvus less SQLite: ${differences.join(', ')}; the same passage first for ${same} of ${questions.length} questions`,
    );
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
