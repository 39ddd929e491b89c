/**
 * `npm run bench:search`: how fast search and indexing are. Texts and vectors of the large indexes are made from a seed;
 * questions are embedded by the real embedder (askdocs models pull). `--sizes 10000,100000 --questions 300 --files 1000 --many 10000`.
 * `--store milvus://HOST:PORT/NAME`: the same over Milvus, in collections NAME_10000, NAME_files and so on, which stay there.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openForReading } from '../service/search/db.ts';
import { createDense } from '../service/search/dense.ts';
import type { Embedder } from '../service/search/embed/embedder.ts';
import { embedSettings, openEmbedder } from '../service/search/embed/open.ts';
import { indexRecords } from '../service/search/ingest/index.ts';
import { openStore } from '../service/search/store.ts';
import { isMilvus, parseAddress, shown, withToken } from '../service/search/stores/milvus/address.ts';
import { atLeast, atMost, printGoals } from './bench/goals.ts';
import { benchIndexing } from './bench/indexing.ts';
import { benchManyFiles } from './bench/many-files.ts';
import { benchMcp } from './bench/mcp.ts';
import { benchRecall } from './bench/recall.ts';
import { seededQuestions, seededRecords, withSeededVectors } from './bench/seeded.ts';

const PARTS = ['embed', 'lexical', 'dense', 'rest'] as const;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      sizes: { type: 'string', default: '10000,100000' },
      questions: { type: 'string', default: '300' },
      files: { type: 'string', default: '1000' },
      many: { type: 'string', default: '10000' },
      store: { type: 'string' },
    },
  });
  const store = values.store === undefined ? undefined : withToken(values.store, process.env.ASKDOCS_SEARCH_TOKEN);
  if (store !== undefined) parseAddress(store);
  const { embedder, note } = await openEmbedder(embedSettings(process.env));
  if (embedder === null) {
    console.error(`The benchmark needs the embedder: ${note}`);
    return 69;
  }
  const folder = mkdtempSync(join(tmpdir(), 'askdocs-bench-'));
  try {
    console.log(
      `Node ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}; ${store === undefined ? 'SQLite' : `${shown(store)}, where one request serves both halves: it counts as dense`}\n`,
    );
    const db = (name: string) => (store === undefined ? join(folder, `${name}.db`) : beside(store, name));
    const goals = [];
    const p95s: number[] = [];
    for (const size of values.sizes.split(',').map(Number)) {
      const { p95, emptyP50, recall } = await benchSize(db(String(size)), size, Number(values.questions), embedder);
      p95s.push(p95);
      goals.push(atLeast(`recall@10 against the exact scan, ${size} passages`, recall, 0.98));
      goals.push(atMost(`p50 of an MCP call that searches nothing, ms, ${size} passages`, emptyP50, 0.3));
    }
    const [first, last] = [p95s[0] ?? Number.NaN, p95s.at(-1) ?? Number.NaN];
    if (p95s.length > 1) goals.push(atMost('p95 through MCP, largest index / smallest', last / first, 3));
    if (Number(values.many) > 0) await benchManyFiles(folder, db('many'), Number(values.many));
    if (Number(values.files) > 0)
      goals.push(...(await benchIndexing(folder, db('files'), Number(values.files), embedder)));
    console.log();
    return printGoals(goals) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The same address with a longer name of the collection. */
function beside(store: string, name: string): string {
  return store.replace(/(?=\?|$)/, `_${name}`);
}

async function benchSize(db: string, size: number, count: number, embedder: Embedder) {
  const started = performance.now();
  const seeded = withSeededVectors(embedder);
  await indexRecords({ db, embedder: seeded, records: seededRecords(size), rebuild: true });
  console.log(
    `${size} passages, made and indexed in ${((performance.now() - started) / 1000).toFixed(0)} s (embedding left out)`,
  );
  const questions = seededQuestions(count * 2);
  const parts = await benchParts(db, embedder, questions);
  const mcp = await benchMcp(db, questions);
  const rows = {
    'through MCP, all': mcp.search,
    ...parts,
    'MCP, no search': mcp.empty,
    'the same of a server that does nothing': mcp.nothing,
  };
  console.log('| part | p50 ms | p95 ms |\n|---|---|---|');
  for (const [name, times] of Object.entries(rows))
    console.log(`| ${name} | ${quantile(times, 0.5).toFixed(2)} | ${quantile(times, 0.95).toFixed(2)} |`);
  const recall = await benchRecall(db, seeded, 100);
  console.log(`recall@10 against the exact scan: ${recall.toFixed(4)}`);
  const vectors = isMilvus(db) ? 'kept by the engine' : `${vectorMebibytes(db, embedder)} MiB`;
  console.log(`memory of the server: ${mcp.mebibytes} MiB resident; vectors: ${vectors}\n`);
  return { p95: quantile(mcp.search, 0.95), emptyP50: quantile(mcp.empty, 0.5), recall };
}

/** The first half of the questions warms up, the second is counted. */
async function benchParts(db: string, embedder: Embedder, questions: string[]) {
  const store = await openStore(db, { embedder });
  const times: Record<string, number[]> = {};
  for (const [at, query] of questions.entries()) {
    const { ms } = await store.search({ query, k: 5 });
    for (const part of PARTS) if (at >= questions.length / 2) times[part] = [...(times[part] ?? []), ms[part]];
  }
  store.close();
  return times;
}

function vectorMebibytes(db: string, { dimensions }: Embedder): number {
  const index = openForReading(db);
  const dense = createDense(index, dimensions);
  dense.refresh();
  index.close();
  return Math.round(dense.bytes() / 2 ** 20);
}

function quantile(times: number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

process.exitCode = await main();
