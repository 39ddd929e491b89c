/**
 * Cases that are not written yet: for documents spread over the corpus, a line with file, split and a passage to ask
 * about. Question and labels are left empty, for a person to fill in: a label nobody thought about measures nothing.
 */
import { corpusReader, listSources, paragraphsOf } from '../../harness/corpus.ts';
import type { Case } from '../../harness/schema.ts';
import { CodedError } from '../../service/contract.ts';

export type Draft = Pick<Case, 'id' | 'kind' | 'split' | 'question' | 'files' | 'note'> & {
  key_facts: { any: string[] }[];
};

const ANSWERABLE = 10;
/** Enough to show the two kinds; `cases check` says how many of each a measurement wants. */
const REFUSED = 2;
const PASSAGE_CHARS = 300;

/** Throws `bad_input` when the folder holds no text to ask about. */
export function draftCases(docs: string): Draft[] {
  const read = corpusReader(docs);
  const sources = listSources(docs).filter((source) => passageOf(read(source) ?? '') !== undefined);
  if (sources.length === 0) {
    throw new CodedError(
      'bad_input',
      `${docs} holds no text or Markdown file with a sentence to ask about; name the folder of your documents.`,
    );
  }
  const answerable = spread(sources, ANSWERABLE).map((source, at) => factual(source, read(source) ?? '', at));
  const refused = (['unanswerable', 'off_topic'] as const).flatMap((kind) =>
    Array.from({ length: REFUSED }, (_, at) => toRefuse(kind, at)),
  );
  return [...answerable, ...refused];
}

function factual(source: string, text: string, at: number): Draft {
  const passage = passageOf(text)?.replace(/\s+/g, ' ').slice(0, PASSAGE_CHARS);
  return {
    id: `case-${at + 1}`,
    kind: 'factual',
    split: splitOf(at),
    question: '',
    files: [source],
    key_facts: [{ any: [''] }],
    note: `Ask what this passage, or another one of the file, answers: ${passage}`,
  };
}

/** One from the middle of the document: long prose rather than a table, a table rather than a short line. */
function passageOf(text: string): string | undefined {
  const long = paragraphsOf(text);
  const prose = long.filter((paragraph) => /^\p{L}/u.test(paragraph));
  const short = text.split(/\n\s*\n/).filter((part) => /^\s*\p{L}.{20,}/u.test(part));
  const best = [prose, long, short].find((paragraphs) => paragraphs.length > 0) ?? [];
  return best[Math.floor(best.length / 2)]?.trim();
}

const ABOUT = {
  unanswerable: 'A question in the domain of the documents that they do not answer',
  off_topic: 'A question about something else altogether',
} as const;

function toRefuse(kind: keyof typeof ABOUT, at: number): Draft {
  const id = `${kind.replace('_', '-')}-${at + 1}`;
  return { id, kind, split: splitOf(at), question: '', files: [], key_facts: [], note: ABOUT[kind] };
}

/** By turns, so that neither half is small. */
function splitOf(at: number): Case['split'] {
  return at % 2 === 0 ? 'dev' : 'test';
}

/** At most `n` of them, in order, over their whole length. */
function spread<T>(items: readonly T[], n: number): T[] {
  if (items.length <= n) return [...items];
  return Array.from({ length: n }, (_, at) => items[Math.floor((at * items.length) / n)] as T);
}
