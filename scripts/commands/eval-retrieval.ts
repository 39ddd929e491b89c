/** `askdocs eval retrieval`: a labelled set of one's own, straight on the store, without service and gate. */
import { createReadStream, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { defineCommand } from 'citty';
import { type Document, parseDocument, parseQrels, parseQueries, type Qrels } from '../../harness/beir.ts';
import { readText } from '../../harness/jsonl.ts';
import { DEPTH, measureSet, rankDocuments, type SetMetric, toTrec } from '../../harness/retrieval-set.ts';
import { CodedError, type Passage } from '../../service/contract.ts';
import type { Embedder } from '../../service/search/embed/embedder.ts';
import { embedSettings, openEmbedder } from '../../service/search/embed/open.ts';
import { indexRecords } from '../../service/search/ingest/index.ts';
import { type Mode, openStore, type Store } from '../../service/search/store.ts';
import { readEnvironment } from '../environment.ts';
import { interruptible } from '../interrupt.ts';
import { createProgress } from '../progress.ts';
import { formatArg, printJson } from '../tables.ts';

/** Passages asked for at first, and at most: long documents can fill many ranks with their passages. */
const FIRST_K = 2 * DEPTH;
const MOST_K = 1000;

export const retrievalCommand = defineCommand({
  meta: {
    name: 'retrieval',
    description: 'Measure retrieval on a labelled set in the shape of BEIR or TREC, ranked by document',
  },
  args: {
    corpus: { type: 'string', required: true, description: 'JSONL of {_id, title, text}', valueHint: 'FILE' },
    queries: { type: 'string', required: true, description: 'JSONL of {_id, text}', valueHint: 'FILE' },
    qrels: { type: 'string', required: true, description: 'Lines of "qid 0 docid rel"', valueHint: 'FILE' },
    mode: {
      type: 'enum',
      options: ['lexical', 'dense', 'hybrid'],
      description: 'Which half ranks (default: the best there is)',
    },
    index: {
      type: 'string',
      description: 'Folder for the index (default: data/retrieval/NAME OF CORPUS)',
      valueHint: 'DIR',
    },
    runOut: { type: 'string', description: 'Write the ranking in TREC format', valueHint: 'FILE' },
    format: formatArg,
  },
  run: ({ args }) =>
    interruptible(async (signal) => {
      const queries = parseQueries(readText(args.queries, 'the queries'), args.queries);
      const qrels = parseQrels(readText(args.qrels, 'the judgements'), args.qrels);
      const mode = args.mode as Mode | undefined;
      // By words alone an index needs no embedding, which is most of the work; it is another index then.
      const embedding =
        mode === 'lexical' ? { embedder: null, note: null } : await openEmbedder(embedSettings(readEnvironment()));
      const name = `${basename(args.corpus, '.jsonl')}${embedding.embedder === null ? '-lexical' : ''}`;
      const db = await buildIndex(args.corpus, args.index ?? join('data/retrieval', name), embedding.embedder, signal);
      const store = await openStore(db, embedding);
      try {
        const found = await askAll(store, queries, qrels, mode, signal);
        if (signal.aborted) return 130;
        if (args.runOut !== undefined) writeFileSync(args.runOut, found.trec.join(''));
        print(
          measureSet(found.run, qrels),
          { mode: found.mode, queries: qrels.size, documents: Number((await store.stats()).files) },
          args.format,
        );
        return 0;
      } finally {
        store.close();
      }
    }),
});

async function buildIndex(
  corpus: string,
  folder: string,
  embedder: Embedder | null,
  signal: AbortSignal,
): Promise<string> {
  if (!existsSync(corpus)) throw new CodedError('bad_input', `cannot read the corpus ${corpus}: it does not exist`);
  mkdirSync(folder, { recursive: true });
  const db = join(folder, 'docs.db');
  const progress = createProgress();
  const onProgress = (done: number, total: number, label: string) =>
    progress.update(done, Math.max(total, done), label);
  const summary = await indexRecords({ db, records: documents(corpus), embedder, onProgress, signal });
  progress.end(
    `${summary.files} documents, ${summary.passages} passages in ${db} (${summary.added + summary.changed} new).`,
  );
  return db;
}

/** Line by line: a corpus may be larger than a string. */
async function* documents(path: string): AsyncGenerator<Document> {
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line.trim() !== '') yield parseDocument(line, path, number);
  }
}

async function askAll(
  store: Store,
  queries: Map<string, string>,
  qrels: Qrels,
  mode: Mode | undefined,
  signal: AbortSignal,
): Promise<{ run: Map<string, string[]>; trec: string[]; mode: string }> {
  const progress = createProgress();
  const run = new Map<string, string[]>();
  const trec: string[] = [];
  let used: string = mode ?? '';
  for (const query of qrels.keys()) {
    if (signal.aborted) break;
    const text = queries.get(query);
    if (text === undefined)
      throw new CodedError('bad_input', `the judgements name query "${query}", which the queries do not have`);
    const { passages, mode: answered } = await searchDeep(store, text, mode);
    if (mode !== undefined && answered !== mode) {
      throw new CodedError(
        'bad_input',
        `this index cannot search ${mode}, only ${answered}; askdocs models pull fetches the embedder`,
      );
    }
    used = answered;
    const ranked = rankDocuments(passages);
    run.set(
      query,
      ranked.map((document) => document.id),
    );
    trec.push(toTrec(query, ranked, `askdocs-${answered}`));
    progress.update(run.size, qrels.size, 'searching');
  }
  progress.end();
  return { run, trec, mode: used };
}

/** As many passages as it takes for enough documents. */
async function searchDeep(
  store: Store,
  query: string,
  mode: Mode | undefined,
): Promise<{ passages: Passage[]; mode: string }> {
  const search = (k: number) => store.search({ query, k, mode, gate: false });
  const found = await search(FIRST_K);
  const enough =
    new Set(found.passages.map((passage) => passage.source)).size >= DEPTH || found.passages.length < FIRST_K;
  return enough ? found : search(MOST_K);
}

function print(
  metrics: SetMetric[],
  about: { mode: string; queries: number; documents: number },
  format: string,
): void {
  if (format === 'json') {
    printJson({ ...about, metrics });
    return;
  }
  process.stdout.write(`${about.mode}, ${about.queries} queries, ${about.documents} documents\n`);
  for (const { name, value, low, high } of metrics) {
    process.stdout.write(`${name} ${value.toFixed(4)} [${low.toFixed(4)}, ${high.toFixed(4)}]\n`);
  }
}
