/** Labelled retrieval sets in the shapes of BEIR and TREC. */
import { z } from 'zod';
import { CodedError } from '../service/contract.ts';
import { listProblems, parseJsonl } from './jsonl.ts';

export interface Document {
  id: string;
  title: string;
  text: string;
}

/** Graded relevance by query, then by document. */
export type Qrels = Map<string, Map<string, number>>;

const id = { id: z.coerce.string().optional(), _id: z.coerce.string().optional() };
const needsId = (line: { id?: string | undefined; _id?: string | undefined }) =>
  line.id !== undefined || line._id !== undefined;

const documentSchema = z
  .object({ ...id, title: z.string().nullish(), text: z.string() })
  .refine(needsId, { path: ['_id'], message: 'a document needs _id or id' });

const querySchema = z
  .object({ ...id, text: z.string() })
  .refine(needsId, { path: ['_id'], message: 'a query needs _id or id' });

export function parseDocument(line: string, path: string, number: number): Document {
  const [parsed] = parseJsonl('\n'.repeat(number - 1) + line, documentSchema, path);
  if (parsed === undefined) throw new CodedError('bad_input', `${path}:${number}: the line is empty`);
  const { title, text } = parsed.value;
  return { id: nameOf(parsed.value), title: title ?? '', text };
}

export function parseQueries(text: string, path: string): Map<string, string> {
  return new Map(parseJsonl(text, querySchema, path).map(({ value }) => [nameOf(value), value.text]));
}

/** `qid 0 docid rel` of TREC, or BEIR's three columns with or without a header. */
export function parseQrels(text: string, path: string): Qrels {
  const qrels: Qrels = new Map();
  const bad: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const columns = line.trim().split(/\s+/);
    if (line.trim() === '') continue;
    const [query, document, given] = columns.length === 4 ? [columns[0], columns[2], columns[3]] : columns;
    const relevance = Number(given);
    if (index === 0 && columns.length === 3 && Number.isNaN(relevance)) continue;
    if (
      query === undefined ||
      document === undefined ||
      given === undefined ||
      !Number.isFinite(relevance) ||
      columns.length > 4
    ) {
      bad.push(`${path}:${index + 1}: expected "qid 0 docid rel", found "${line.slice(0, 80)}"`);
      continue;
    }
    const judged = qrels.get(query) ?? new Map<string, number>();
    qrels.set(query, judged);
    judged.set(document, relevance);
  }
  if (bad.length > 0) throw new CodedError('bad_input', listProblems(bad));
  if (qrels.size === 0) throw new CodedError('bad_input', `${path} holds no judgement`);
  return qrels;
}

function nameOf(line: { id?: string | undefined; _id?: string | undefined }): string {
  return line._id ?? line.id ?? '';
}
