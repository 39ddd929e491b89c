/**
 * Labelled retrieval sets in the shapes of BEIR and TREC, as people have them: with a byte order mark, with CRLF, with or
 * without a header line, ids as numbers or as text.
 */
import { z } from 'zod';
import { CodedError } from '../service/contract.ts';
import { listProblems, parseJsonl, parseLine } from './jsonl.ts';

export interface Document {
  id: string;
  title: string;
  text: string;
}

/** Graded relevance by query, then by document. */
export type Qrels = Map<string, Map<string, number>>;

const name = z.union([z.string(), z.number()]).transform((id) => String(id).trim());
const id = { id: name.optional(), _id: name.optional() };
const needsId = (line: { id?: string | undefined; _id?: string | undefined }) => nameOf(line) !== '';

const documentSchema = z
  .object({ ...id, title: z.string().nullish(), text: z.string().nullish() })
  .refine(needsId, { path: ['_id'], message: 'a document needs _id or id' })
  .refine(({ title, text }) => title !== undefined || text !== undefined, {
    path: ['text'],
    message: 'a document needs text or title',
  });

const querySchema = z
  .object({ ...id, text: z.string() })
  .refine(needsId, { path: ['_id'], message: 'a query needs _id or id' });

/** A document without text is found by its title, as sets with missing abstracts need it. */
export function parseDocument(line: string, path: string, number: number): Document {
  const parsed = parseLine(withoutMark(line, number), documentSchema);
  if ('problem' in parsed) throw new CodedError('bad_input', `${path}:${number}: ${parsed.problem}`);
  const { title, text } = parsed.value;
  return { id: nameOf(parsed.value), title: title ?? '', text: text?.trim() ? text : (title ?? '') };
}

export function parseQueries(text: string, path: string): Map<string, string> {
  const queries = new Map<string, string>();
  const bad: string[] = [];
  for (const { line, value } of parseJsonl(withoutMark(text, 1), querySchema, path)) {
    const query = nameOf(value);
    if (queries.has(query)) bad.push(`${path}:${line}: a second query has the id "${query}"`);
    queries.set(query, value.text);
  }
  if (bad.length > 0) throw new CodedError('bad_input', listProblems(bad));
  if (queries.size === 0) throw new CodedError('bad_input', `${path} holds no query`);
  return queries;
}

/** `qid 0 docid rel` of TREC, or BEIR's three columns; either with or without a header line. */
export function parseQrels(text: string, path: string): Qrels {
  const qrels: Qrels = new Map();
  const bad: string[] = [];
  for (const [index, line] of withoutMark(text, 1).split('\n').entries()) {
    if (line.trim() === '') continue;
    const row = judgement(line);
    if (row === undefined) {
      if (index > 0 || !isHeader(line))
        bad.push(`${path}:${index + 1}: expected "qid 0 docid rel", found "${line.trim().slice(0, 80)}"`);
      continue;
    }
    const judged = qrels.get(row.query) ?? new Map<string, number>();
    qrels.set(row.query, judged);
    const before = judged.get(row.document);
    if (before !== undefined && before !== row.relevance)
      bad.push(
        `${path}:${index + 1}: document "${row.document}" is judged ${row.relevance} for query "${row.query}", and ${before} before`,
      );
    judged.set(row.document, row.relevance);
  }
  if (bad.length > 0) throw new CodedError('bad_input', listProblems(bad));
  if (qrels.size === 0) throw new CodedError('bad_input', `${path} holds no judgement`);
  return qrels;
}

function judgement(line: string): { query: string; document: string; relevance: number } | undefined {
  // Ids may hold spaces where tabs divide the columns.
  const columns = (line.includes('\t') ? line.split('\t') : line.trim().split(/\s+/)).map((column) => column.trim());
  if (columns.length < 3 || columns.length > 4) return undefined;
  const [query = '', document = '', given = ''] = columns.length === 4 ? [columns[0], columns[2], columns[3]] : columns;
  const relevance = Number(given);
  if (query === '' || document === '' || given === '' || !Number.isFinite(relevance)) return undefined;
  return { query, document, relevance };
}

/** Names of columns where a number is due; a broken judgement on the first line is none. */
function isHeader(line: string): boolean {
  const columns = line.trim().split(/\s+/);
  return columns.length >= 3 && columns.length <= 4 && /^[\p{L}_-]+$/u.test(columns.at(-1) ?? '');
}

function withoutMark(text: string, line: number): string {
  return line === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function nameOf(line: { id?: string | undefined; _id?: string | undefined }): string {
  return line._id ?? line.id ?? '';
}
