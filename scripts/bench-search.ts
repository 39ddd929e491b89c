/**
 * `npm run bench:search`: how fast search and indexing are. Texts and vectors of the large indexes are made from a seed;
 * questions are embedded by the real embedder (askdocs models pull). `--sizes 10000,100000 --questions 300 --files 1000 --many 10000`.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import seedrandom from 'seedrandom';
import { openForReading } from '../service/search/db.ts';
import { createDense, floats } from '../service/search/dense.ts';
import { type Embedder, normalized } from '../service/search/embed/embedder.ts';
import { embedSettings, openEmbedder } from '../service/search/embed/open.ts';
import { indexPaths, indexRecords, type TextRecord } from '../service/search/ingest/index.ts';
import { openStore } from '../service/search/store.ts';
import { benchManyFiles } from './bench/many-files.ts';

const SERVER = fileURLToPath(new URL('../service/search/server.ts', import.meta.url));
const PARTS = ['embed', 'lexical', 'dense', 'rest'] as const;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      sizes: { type: 'string', default: '10000,100000' },
      questions: { type: 'string', default: '300' },
      files: { type: 'string', default: '1000' },
      many: { type: 'string', default: '10000' },
    },
  });
  const { embedder, note } = await openEmbedder(embedSettings(process.env));
  if (embedder === null) {
    console.error(`The benchmark needs the embedder: ${note}`);
    return 69;
  }
  const folder = mkdtempSync(join(tmpdir(), 'askdocs-bench-'));
  try {
    console.log(
      `Node ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}\n`,
    );
    for (const size of values.sizes.split(',').map(Number))
      await benchSize(folder, size, Number(values.questions), embedder);
    if (Number(values.many) > 0) await benchManyFiles(folder, Number(values.many));
    if (Number(values.files) > 0) await benchIndexing(folder, Number(values.files), embedder);
    return 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function benchSize(folder: string, size: number, count: number, embedder: Embedder): Promise<void> {
  const db = join(folder, `${size}.db`);
  const started = performance.now();
  await indexRecords({ db, embedder: withSeededVectors(embedder), records: seededRecords(size) });
  console.log(
    `${size} passages, made and indexed in ${((performance.now() - started) / 1000).toFixed(0)} s (embedding left out)`,
  );
  const questions = seededQuestions(count * 2);
  const parts = await benchParts(db, embedder, questions);
  const mcp = await benchMcp(db, questions);
  const rows = { 'through MCP, all': mcp.search, ...parts.times, 'MCP, no search': mcp.empty };
  console.log('| part | p50 ms | p95 ms |\n|---|---|---|');
  for (const [name, times] of Object.entries(rows))
    console.log(`| ${name} | ${quantile(times, 0.5)} | ${quantile(times, 0.95)} |`);
  console.log(`recall@10 against the exact scan: ${benchRecall(db, embedder.dimensions, 100).toFixed(4)}`);
  console.log(`memory of the server: ${mcp.mebibytes} MiB resident; vectors: ${parts.vectors} MiB\n`);
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
  const index = openForReading(db);
  const dense = createDense(index, embedder.dimensions);
  dense.refresh();
  const vectors = Math.round(dense.bytes() / 2 ** 20);
  index.close();
  return { times, vectors };
}

async function benchMcp(db: string, questions: string[]) {
  const env = { ...process.env, CRAG_DB: db } as Record<string, string>;
  const args = ['--import', import.meta.resolve('tsx'), SERVER];
  const transport = new StdioClientTransport({ command: process.execPath, args, env });
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport);
  const time = async (name: string, input: Record<string, unknown>) => {
    const started = performance.now();
    await client.callTool({ name, arguments: input });
    return performance.now() - started;
  };
  const search: number[] = [];
  for (const query of questions) search.push(await time('crag_search', { query, k: 5 }));
  const empty: number[] = [];
  for (let at = 0; at < questions.length; at++) empty.push(await time('crag_stats', {}));
  const mebibytes = residentMebibytes(transport.pid ?? 0);
  await client.close();
  const counted = (times: number[]) => times.slice(times.length / 2);
  return { search: counted(search), empty: counted(empty), mebibytes };
}

/** Share of the ten nearest by exact cosine that the search finds, for vectors like those in the index. */
function benchRecall(path: string, dimensions: number, count: number): number {
  const index = openForReading(path);
  const dense = createDense(index, dimensions);
  dense.refresh();
  const rows = index
    .prepare('SELECT i.passage_id AS id, e.vector FROM pieces i JOIN embeddings e ON e.id = i.embedding_id')
    .all();
  const all = (rows as { id: number; vector: Buffer }[]).map(({ id, vector }) => ({ id, vector: floats(vector) }));
  const next = seededVectors(dimensions, 'questions');
  let found = 0;
  for (let at = 0; at < count; at++) {
    const query = next();
    const exact = all.map(({ id, vector }) => ({
      id,
      score: vector.reduce((sum, value, i) => sum + value * (query[i] ?? 0), 0),
    }));
    const best = new Set(dense.search(query, 10).map(({ id }) => id));
    found += exact
      .sort((a, b) => b.score - a.score)
      .slice(0, 10)
      .filter(({ id }) => best.has(id)).length;
  }
  index.close();
  return found / (count * 10);
}

async function benchIndexing(folder: string, count: number, embedder: Embedder): Promise<void> {
  const docs = join(folder, 'docs');
  mkdirSync(docs);
  const texts = [...seededRecords(count)].map(({ title, text }) => `# ${title}\n\n${text}\n`);
  texts.forEach((text, at) => {
    writeFileSync(join(docs, `${at}.md`), text);
  });
  const run = async () => (await indexPaths({ roots: [docs], db: join(folder, 'files.db'), embedder })).ms;
  // The bare embedder before and after, so that a machine that slows down meanwhile does not tell a wrong ratio.
  const sample = texts.slice(0, 200);
  const bare = async () => {
    const started = performance.now();
    await embedder.embedPassages(sample);
    return sample.length / ((performance.now() - started) / 1000);
  };
  const before = await bare();
  const first = await run();
  const rate = (before + (await bare())) / 2;
  const unchanged = await run();
  writeFileSync(join(docs, '0.md'), `${texts[0]}\nOne more sentence.\n`);
  const changed = await run();
  const share = (ms: number) => `${ms} ms, ${((100 * ms) / first).toFixed(2)}% of the first`;
  const own = count / (first / 1000);
  console.log(
    `${count} files, first index: ${(first / 1000).toFixed(1)} s, ${own.toFixed(1)} passages a second, ${((100 * own) / rate).toFixed(0)}% of the bare embedder (${rate.toFixed(1)})`,
  );
  console.log(`unchanged: ${share(unchanged)}; one file changed: ${share(changed)}`);
}

/** Words with the frequencies of natural language (Zipf), 110 to a passage. */
function* seededRecords(count: number): Generator<TextRecord> {
  const word = zipfWords('texts');
  for (let at = 0; at < count; at++) {
    yield { id: `doc-${at}`, title: `${word()} ${word()}`, text: Array.from({ length: 110 }, word).join(' ') };
  }
}

function seededQuestions(count: number): string[] {
  const word = zipfWords('questions');
  return Array.from({ length: count }, () => `How do I ${Array.from({ length: 6 }, word).join(' ')}?`);
}

const VOCABULARY = 30_000;

function zipfWords(seed: string): () => string {
  const random = seedrandom(seed);
  const syllables = ['ba', 'ke', 'li', 'mo', 'nu', 'ra', 'se', 'ti', 'vo', 'zu', 'pra', 'sto', 'gri'];
  const name = (rank: number): string => (rank < 13 ? '' : name(Math.floor(rank / 13))) + syllables[rank % 13];
  // Rank by the inverse of the distribution 1/rank.
  return () => name(Math.floor(VOCABULARY ** random()) + 12);
}

function withSeededVectors(embedder: Embedder): Embedder {
  const next = seededVectors(embedder.dimensions, 'passages');
  return { ...embedder, pieces: (text) => [text], embedPassages: async (texts) => texts.map(next) };
}

/** Vectors around 500 centres, as those of real passages lie around topics. */
function seededVectors(dimensions: number, seed: string): () => Float32Array {
  const draw = (random: () => number) =>
    Float32Array.from({ length: dimensions }, () => random() + random() + random() - 1.5);
  const fixed = seedrandom('centres');
  const centres = Array.from({ length: 500 }, () => draw(fixed));
  const random = seedrandom(seed);
  return () => {
    const centre = centres[Math.floor(random() * centres.length)] ?? new Float32Array(dimensions);
    return normalized(draw(random).map((value, at) => value + (centre[at] ?? 0)));
  };
}

function quantile(times: number[], share: number): string {
  const sorted = [...times].sort((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(2);
}

function residentMebibytes(pid: number): string {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024).toFixed(0);
  } catch {
    return 'unknown';
  }
}

process.exitCode = await main();
