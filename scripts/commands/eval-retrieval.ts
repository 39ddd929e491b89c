/** `askdocs eval retrieval`: a labelled set of one's own, straight on the store, without service and gate. */
import { createReadStream, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { defineCommand } from 'citty';
import { type Document, parseDocument, parseQrels, parseQueries, type Qrels } from '../../harness/beir.ts';
import { checkSet } from '../../harness/beir-check.ts';
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
      if (mode !== undefined && mode !== 'lexical' && embedding.embedder === null)
        throw new CodedError('bad_input', `--mode ${mode} needs an embedder. ${embedding.note ?? ''}`.trim());
      const folder = args.index ?? join('data/retrieval', nameOf(args.corpus));
      const built = await buildIndex(args.corpus, folder, embedding.embedder, signal);
      const set = checkSet(queries, qrels, built.documents);
      const store = await openStore(built.db, embedding);
      try {
        const found = await askAll(store, queries, set.qrels, mode, signal);
        if (signal.aborted) return 130;
        if (args.runOut !== undefined) writeOut(args.runOut, found.trec);
        const notes = [...built.notes, ...set.notes, ...found.notes];
        const about = { mode: found.mode, queries: set.qrels.size, documents: built.documents.size, notes };
        print(measureSet(found.run, set.qrels), about, args.format);
        return 0;
      } finally {
        store.close();
      }
    }),
});

/** Sets in BEIR's shape all call the file corpus.jsonl; their folder tells them apart. */
export function nameOf(corpus: string): string {
  const name = basename(corpus, '.jsonl');
  return name === 'corpus' ? basename(dirname(resolve(corpus))) || name : name;
}

async function buildIndex(corpus: string, folder: string, embedder: Embedder | null, signal: AbortSignal) {
  if (!existsSync(corpus)) throw new CodedError('bad_input', `cannot read the corpus ${corpus}: it does not exist`);
  mkdirSync(folder, { recursive: true });
  const db = join(folder, embedder === null ? 'docs-lexical.db' : 'docs.db');
  const progress = createProgress();
  const onProgress = (done: number, total: number, label: string) =>
    progress.update(done, Math.max(total, done), label);
  const seen = { documents: new Set<string>(), empty: 0 };
  const summary = await indexRecords({ db, records: documents(corpus, seen), embedder, onProgress, signal });
  if (summary.files === 0) throw new CodedError('bad_input', `${corpus} holds no document`);
  progress.end(
    `${summary.files} documents, ${summary.passages} passages in ${db} (${summary.added + summary.changed} new).`,
  );
  const notes = seen.empty === 0 ? [] : [`${seen.empty} documents have neither title nor text and are never found.`];
  return { db, documents: seen.documents, notes };
}

/** Line by line: a corpus may be larger than a string. */
async function* documents(path: string, seen: { documents: Set<string>; empty: number }): AsyncGenerator<Document> {
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line.replace('\uFEFF', '').trim() === '') continue;
    const document = parseDocument(line, path, number);
    if (seen.documents.has(document.id))
      throw new CodedError('bad_input', `${path}:${number}: a second document has the id "${document.id}"`);
    seen.documents.add(document.id);
    if (document.text.trim() === '') seen.empty += 1;
    yield document;
  }
}

async function askAll(
  store: Store,
  queries: ReadonlyMap<string, string>,
  qrels: Qrels,
  mode: Mode | undefined,
  signal: AbortSignal,
): Promise<{ run: Map<string, string[]>; trec: string[]; mode: string; notes: string[] }> {
  const progress = createProgress();
  const run = new Map<string, string[]>();
  const trec: string[] = [];
  const answered = new Map<string, number>();
  // Hybrid is what the service does: a question in a script the embedder does not know goes by words alone.
  const wanted = mode === 'hybrid' ? undefined : mode;
  for (const query of qrels.keys()) {
    if (signal.aborted) break;
    const text = queries.get(query) ?? '';
    const found = text.trim() === '' ? undefined : await searchDeep(store, text, wanted);
    const ranked = rankDocuments(found?.passages ?? []);
    run.set(
      query,
      ranked.map((document) => document.id),
    );
    if (found !== undefined) answered.set(found.mode, (answered.get(found.mode) ?? 0) + 1);
    trec.push(toTrec(query, ranked, `askdocs-${found?.mode ?? mode ?? 'lexical'}`));
    progress.update(run.size, qrels.size, 'searching');
  }
  progress.end();
  const [used = mode ?? 'lexical'] = answered.has('hybrid') ? ['hybrid'] : [...answered.keys()];
  const byWords = used === 'lexical' ? 0 : (answered.get('lexical') ?? 0);
  const words = `${byWords} queries are in a script the embedder does not know and went by words alone.`;
  return { run, trec, mode: used, notes: byWords === 0 ? [] : [words] };
}

function writeOut(path: string, lines: readonly string[]): void {
  try {
    writeFileSync(path, lines.join(''));
  } catch (cause) {
    throw new CodedError('bad_input', `cannot write the run to ${path}: is there such a folder?`, { cause });
  }
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
  about: { mode: string; queries: number; documents: number; notes: string[] },
  format: string,
): void {
  if (format === 'json') {
    printJson({ ...about, metrics });
    return;
  }
  process.stdout.write(`${about.mode}, ${about.queries} queries, ${about.documents} documents\n`);
  for (const note of about.notes) process.stderr.write(`Note: ${note}\n`);
  for (const { name, value, low, high } of metrics) {
    process.stdout.write(`${name} ${value.toFixed(4)} [${low.toFixed(4)}, ${high.toFixed(4)}]\n`);
  }
}
