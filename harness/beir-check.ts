/** Whether documents, queries and judgements of a labelled set belong together. */
import { CodedError } from '../service/contract.ts';
import type { Qrels } from './beir.ts';

export interface Checked {
  /** The judgements whose queries there are. */
  qrels: Qrels;
  /** What a reader of the figures should know, one sentence each. */
  notes: string[];
}

/** Throws `bad_input` when nothing fits: that is another set's file. */
export function checkSet(queries: ReadonlyMap<string, string>, qrels: Qrels, documents: ReadonlySet<string>): Checked {
  const known = new Map([...qrels].filter(([query]) => queries.has(query)));
  const [unknown] = [...qrels.keys()].filter((query) => !queries.has(query));
  if (known.size === 0)
    throw new CodedError('bad_input', `no query of the judgements is among the queries: "${unknown}" is not, for one`);
  const relevant = [...known.values()].flatMap((gains) => [...gains].filter(([, gain]) => gain > 0).map(([id]) => id));
  const missing = relevant.filter((id) => !documents.has(id));
  if (relevant.length > 0 && missing.length === relevant.length)
    throw new CodedError(
      'bad_input',
      `no document that is judged relevant is in the corpus: "${missing[0]}" is not, for one`,
    );
  const without = [...known.values()].filter((gains) => ![...gains.values()].some((gain) => gain > 0)).length;
  const empty = [...known.keys()].filter((query) => queries.get(query)?.trim() === '');
  return {
    qrels: known,
    notes: [
      ...note(qrels.size - known.size, `judged queries are left out: the queries do not have them ("${unknown}")`),
      ...note(
        missing.length,
        `judged relevant documents are not in the corpus and count as not found ("${missing[0]}")`,
      ),
      ...note(without, 'queries have no relevant document and count 0, as in trec_eval'),
      ...note(empty.length, `queries have no text and find nothing ("${empty[0]}")`),
    ],
  };
}

function note(count: number, what: string): string[] {
  return count === 0 ? [] : [`${count} ${what}.`];
}
