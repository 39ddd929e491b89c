/** The sets a study runs on: labelled questions over an index, from cases of our own or a folder in BEIR's format. */
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseDocument, parseQrels, parseQueries } from '../../harness/beir.ts';
import { loadCases } from '../../harness/cases.ts';
import { CodedError } from '../../service/contract.ts';
import { openForReading } from '../../service/search/db.ts';
import type { Embedder } from '../../service/search/embed/embedder.ts';
import { indexRecords, type TextRecord } from '../../service/search/ingest/index.ts';
import { createProgress } from '../progress.ts';

export interface Question {
  id: string;
  text: string;
  /** Graded relevance by source. */
  gains: Map<string, number>;
}

export interface StudyPassage {
  id: number;
  source: string;
  title: string;
  heading: string[];
  text: string;
}

export interface StudySet {
  name: string;
  /** In BEIR's format; undefined: cases of our own. */
  folder?: string;
  db: string;
  questions: Question[];
  passages: StudyPassage[];
}

export interface Chosen {
  /** Folders of corpus.jsonl, queries.jsonl and qrels/test.tsv. */
  beir: string[];
  cases: string;
  db: string;
  split: string;
  /** The cases over the index `db`, too. */
  withCases: boolean;
}

/** Indexes what is not indexed yet, beside the set. */
export async function openSets(
  { beir, cases, db, split, withCases }: Chosen,
  model: Embedder | null,
): Promise<StudySet[]> {
  const sets: StudySet[] = [];
  if (withCases) sets.push(setOf(split, db, caseQuestions(cases, split)));
  for (const folder of beir)
    sets.push({ ...setOf(basename(resolve(folder)), await indexBeir(folder, model), beirQuestions(folder)), folder });
  return sets;
}

function setOf(name: string, db: string, questions: Question[]): StudySet {
  if (questions.length === 0) throw new CodedError('bad_input', `${name} holds no labelled question.`);
  return {
    name,
    db,
    questions,
    passages: readPassages(db),
  };
}

export function readPassages(db: string): StudyPassage[] {
  const index = openForReading(db);
  const rows = index
    .prepare(
      `SELECT p.id, f.source, f.title, p.heading, p.text FROM passages p JOIN files f ON f.id = p.file_id
       WHERE f.born <= (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'generation') ORDER BY p.id`,
    )
    .all() as (Omit<StudyPassage, 'heading'> & { heading: string })[];
  index.close();
  return rows.map((row) => ({ ...row, heading: JSON.parse(row.heading) as string[] }));
}

function caseQuestions(path: string, split: string): Question[] {
  const cases = loadCases(path).filter((one) => one.files.length > 0 && (split === 'all' || one.split === split));
  // A file that answers as well as the labelled one counts as much; the best order is that of the labelled ones.
  return cases.map(({ id, question, files, also }) => ({
    id,
    text: question,
    gains: new Map([...files, ...(also ?? [])].map((file) => [file, 1])),
  }));
}

function beirQuestions(folder: string): Question[] {
  const read = (name: string) => {
    const path = join(folder, name);
    if (!existsSync(path)) throw new CodedError('bad_input', `${path} does not exist; a set in BEIR's format has it.`);
    return { path, text: readFileSync(path, 'utf8') };
  };
  const [queries, qrels] = [read('queries.jsonl'), read('qrels/test.tsv')];
  const judged = parseQrels(qrels.text, qrels.path);
  return [...parseQueries(queries.text, queries.path)].flatMap(([id, text]) => {
    const gains = new Map([...(judged.get(id) ?? [])].filter(([, gain]) => gain > 0));
    return gains.size === 0 ? [] : [{ id, text, gains }];
  });
}

async function indexBeir(folder: string, model: Embedder | null): Promise<string> {
  const db = join(folder, `study-${model === null ? 'words' : 'hybrid'}.db`);
  const progress = createProgress();
  await indexRecords({ db, records: beirRecords(folder), embedder: model, onProgress: progress.update });
  progress.end();
  return db;
}

export async function* beirRecords(folder: string): AsyncGenerator<TextRecord> {
  const path = join(folder, 'corpus.jsonl');
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    number += 1;
    if (line.trim() !== '') yield parseDocument(line, path, number);
  }
}
