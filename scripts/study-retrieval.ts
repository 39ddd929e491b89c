/**
 * Measures what each choice of the retriever gains, for docs/retrieval.md: halves, fusions, stop words and the gate, on the
 * demo cases or on a folder in BEIR's format (corpus.jsonl, queries.jsonl, qrels/test.tsv).
 * `npx tsx scripts/study-retrieval.ts [--cases FILE --db INDEX | --beir FOLDER] [--split dev] [--format json]`
 */
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs, styleText } from 'node:util';
import { loadCases } from '../harness/cases.ts';
import { reciprocalRank } from '../harness/metrics/mrr.ts';
import { ndcgAt } from '../harness/metrics/ndcg.ts';
import { recallAt } from '../harness/metrics/recall.ts';
import { meanInterval } from '../harness/stats/mean-interval.ts';
import { openForReading } from '../service/search/db.ts';
import { createDense } from '../service/search/dense.ts';
import type { Embedder } from '../service/search/embed/embedder.ts';
import { embedSettings, openEmbedder } from '../service/search/embed/open.ts';
import { type Fused, fuse } from '../service/search/fusion.ts';
import { indexRecords, type TextRecord } from '../service/search/ingest/index.ts';
import { createLexical, type Scored } from '../service/search/lexical.ts';
import { parseQuery, type Query } from '../service/search/text/query.ts';
import { words } from '../service/search/text/tokens.ts';
import { createProgress } from './progress.ts';

interface Question {
  id: string;
  text: string;
  /** Graded relevance by source. */
  gains: Map<string, number>;
}

interface Ranking {
  question: Question;
  words: Scored[];
  all: Scored[];
  near: Scored[];
}

const POOL = 100;
const { values: args } = parseArgs({
  options: {
    cases: { type: 'string', default: 'cases/demo.jsonl' },
    db: { type: 'string', default: 'data/docs.db' },
    beir: { type: 'string' },
    split: { type: 'string', default: 'dev' },
    format: { type: 'string', default: 'text' },
  },
});

function demoQuestions(path: string, split: string): Question[] {
  const cases = loadCases(path).filter((one) => one.files.length > 0 && (split === 'all' || one.split === split));
  // A file that answers as well as the labelled one counts as much; the best order is that of the labelled ones.
  return cases.map(({ id, question, files, also }) => ({
    id,
    text: question,
    gains: new Map([...files, ...(also ?? [])].map((file) => [file, 1])),
  }));
}

function beirQuestions(folder: string): Question[] {
  const qrels = new Map<string, Map<string, number>>();
  for (const line of readFileSync(join(folder, 'qrels/test.tsv'), 'utf8').split('\n').slice(1)) {
    const [query = '', doc = '', gain = ''] = line.split('\t');
    if (Number(gain) > 0) qrels.set(query, (qrels.get(query) ?? new Map()).set(doc, Number(gain)));
  }
  const lines = readFileSync(join(folder, 'queries.jsonl'), 'utf8').split('\n').filter(Boolean);
  const parsed = lines.map((line) => JSON.parse(line) as { _id: string; text: string });
  return parsed.flatMap(({ _id, text }) => {
    const gains = qrels.get(_id);
    return gains === undefined ? [] : [{ id: _id, text, gains }];
  });
}

async function indexBeir(folder: string, model: Embedder | null): Promise<string> {
  const path = join(folder, `index-${model === null ? 'words' : 'hybrid'}.db`);
  const progress = createProgress();
  if (!existsSync(path))
    await indexRecords({ db: path, records: beirRecords(folder), embedder: model, onProgress: progress.update });
  progress.end();
  return path;
}

async function* beirRecords(folder: string): AsyncGenerator<TextRecord> {
  for await (const line of createInterface({ input: createReadStream(join(folder, 'corpus.jsonl')) })) {
    const { _id, title, text } = JSON.parse(line) as { _id: string; title?: string; text: string };
    yield { id: _id, title: title ?? '', text };
  }
}

interface Row {
  name: string;
  ndcg: { mean: number; low: number; high: number };
  recall5: number;
  mrr: number;
}

async function study(path: string, asked: Question[], model: Embedder | null): Promise<Row[]> {
  const index = openForReading(path);
  const lexical = createLexical(index);
  const dense = model === null ? undefined : createDense(index, model.dimensions);
  dense?.refresh();
  const rankings: Ranking[] = [];
  for (const question of asked) {
    const query = parseQuery(question.text);
    const near = model && dense ? dense.search(await model.embedQuery(question.text), POOL) : [];
    rankings.push({
      question,
      words: lexical.search(query, POOL),
      all: lexical.search(withStopWords(question.text), POOL),
      near,
    });
  }
  const sourceOf = index
    .prepare('SELECT f.source FROM passages p JOIN files f ON f.id = p.file_id WHERE p.id = ?')
    .pluck();
  const rows = VARIANTS.filter(({ dense: needs }) => !needs || dense !== undefined).map(({ name, rank }) => {
    const ranked = rankings.map((ranking) => [...new Set(rank(ranking).map(({ id }) => sourceOf.get(id) as string))]);
    return rowOf(name, asked, ranked);
  });
  index.close();
  return rows;
}

function rowOf(name: string, asked: Question[], ranked: string[][]): Row {
  const scores = (score: (sources: string[], gains: Map<string, number>) => number | null) =>
    asked.map(({ gains }, at) => score(ranked[at] ?? [], gains) ?? 0);
  const mean = (list: number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const ndcg = scores((sources, gains) => ndcgAt(10, sources, gains));
  const { low, high } = meanInterval(ndcg);
  const relevant = (gains: Map<string, number>) => new Set(gains.keys());
  return {
    name,
    ndcg: { mean: mean(ndcg), low, high },
    recall5: mean(scores((sources, gains) => recallAt(5, sources, relevant(gains)))),
    mrr: mean(scores((sources, gains) => reciprocalRank(10, sources, relevant(gains)))),
  };
}

function withStopWords(text: string): Query {
  return { ...parseQuery(text), words: [...words(text)] };
}

interface Variant {
  name: string;
  dense: boolean;
  rank(ranking: Ranking): { id: number }[];
}

/** The order is that of the table in the docs. */
const VARIANTS: Variant[] = [
  { name: 'words alone, stop words kept', dense: false, rank: ({ all }) => all },
  { name: 'words alone', dense: false, rank: ({ words: found }) => found },
  { name: 'meaning alone', dense: true, rank: ({ near }) => near },
  { name: 'reciprocal ranks, k=60', dense: true, rank: ({ words: found, near }) => reciprocalRanks(found, near) },
  ...[0.3, 0.4, 0.5, 0.6, 0.7].map((weight) => ({
    name: `weighted, ${weight} meaning`,
    dense: true,
    rank: ({ words: found, near }: Ranking): Fused[] => fuse(found, near, weight),
  })),
];

function reciprocalRanks(...lists: Scored[][]): { id: number }[] {
  const sum = new Map<number, number>();
  for (const list of lists)
    for (const [rank, { id }] of list.entries()) sum.set(id, (sum.get(id) ?? 0) + 1 / (60 + rank + 1));
  return [...sum].sort((a, b) => b[1] - a[1]).map(([id]) => ({ id }));
}

function printTable(title: string, rows: Row[]): void {
  console.log(styleText('bold', title));
  console.log('| ranking | nDCG@10 (95%) | recall@5 | MRR@10 |\n|---|---|---|---|');
  for (const { name, ndcg, recall5, mrr } of rows) {
    const interval = `${ndcg.mean.toFixed(3)} (${ndcg.low.toFixed(3)} to ${ndcg.high.toFixed(3)})`;
    console.log(`| ${name} | ${interval} | ${recall5.toFixed(3)} | ${mrr.toFixed(3)} |`);
  }
}

const { embedder } = await openEmbedder(embedSettings(process.env));
const db = args.beir === undefined ? args.db : await indexBeir(args.beir, embedder);
const questions = args.beir === undefined ? demoQuestions(args.cases, args.split) : beirQuestions(args.beir);
const table = await study(db, questions, embedder);
if (args.format === 'json') console.log(JSON.stringify(table));
else printTable(`${args.beir ?? args.split}, ${questions.length} questions`, table);
