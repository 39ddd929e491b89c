/** Writing cases at a terminal: one passage at a time is shown; question, kind and facts are the person's. */
import seedrandom from 'seedrandom';
import { corpusReader, listSources, paragraphsOf } from '../harness/corpus.ts';
import { occursVerbatim, statesFact } from '../harness/metrics/facts.ts';
import { type Case, caseSchema } from '../harness/schema.ts';

export interface Writer {
  root: string;
  known: Case[];
  seed: string;
  /** Null at the end of input. */
  ask(question: string): Promise<string | null>;
  show(text: string): void;
  add(item: Case): void;
}

const HELP = `For each passage: type a question it answers, in words a user would choose; empty for another passage; q to stop.
Start with ? for a question that the documents do NOT answer, with ! for one that is off-topic.`;

/** Returns how many were added. */
export async function writeCases(writer: Writer): Promise<number> {
  const read = corpusReader(writer.root);
  const random = seedrandom(writer.seed);
  const sources = listSources(writer.root);
  const known = [...writer.known];
  writer.show(HELP);
  for (;;) {
    const source = sources[Math.floor(random() * sources.length)];
    if (source === undefined) return 0;
    const paragraphs = paragraphsOf(read(source) ?? '');
    const passage = paragraphs[Math.floor(random() * paragraphs.length)];
    if (passage === undefined) {
      sources.splice(sources.indexOf(source), 1);
      continue;
    }
    writer.show(`\n--- ${source}\n${passage}\n---`);
    const question = (await writer.ask('Question: '))?.trim();
    if (question === undefined || question === 'q') return known.length - writer.known.length;
    if (question === '') continue;
    const item = await label(writer, known, question, source, read(source) ?? '');
    if (item === null) return known.length - writer.known.length;
    writer.add(item);
    known.push(item);
  }
}

/** Null at the end of input: a case without its labels is not kept. */
async function label(writer: Writer, known: Case[], typed: string, source: string, text: string): Promise<Case | null> {
  const mark = typed[0];
  const question = typed.replace(/^[?!]\s*/, '');
  const base = { id: nextId(known), split: splitFor(known, source), question };
  if (mark === '?') return caseSchema.parse({ ...base, kind: 'unanswerable', files: [], key_facts: [] });
  if (mark === '!') return caseSchema.parse({ ...base, kind: 'off_topic', files: [], key_facts: [] });
  const facts: { any: string[]; vital: boolean }[] = [];
  for (;;) {
    const prompt =
      facts.length === 0
        ? 'Fact that a right answer must state, verbatim from the document: '
        : 'Another one (empty: done): ';
    const words = (await writer.ask(prompt))?.trim();
    if (words === undefined) return null;
    if (words === '' && facts.length > 0) break;
    if (words === '' || !occursVerbatim(text, words) || !statesFact(text, { any: [words] })) {
      writer.show(`That does not stand in ${source} word for word, in whole words; copy it from there.`);
      continue;
    }
    const others = await writer.ask('Other wordings of it, separated by | (or empty): ');
    if (others === null) return null;
    facts.push({
      any: [
        words,
        ...others
          .split('|')
          .map((other) => other.trim())
          .filter((other) => other !== ''),
      ],
      vital: true,
    });
  }
  return caseSchema.parse({ ...base, kind: 'factual', files: [source], key_facts: facts });
}

function nextId(known: Case[]): string {
  const taken = new Set(known.map((item) => item.id));
  let number = known.length + 1;
  while (taken.has(`case-${number}`)) number += 1;
  return `case-${number}`;
}

/** All cases on one file are in one split; else the smaller one grows. */
function splitFor(known: Case[], source: string): Case['split'] {
  const same = known.find((item) => item.files[0] === source);
  if (same !== undefined) return same.split;
  const dev = known.filter((item) => item.split === 'dev').length;
  return dev <= known.length - dev ? 'dev' : 'test';
}
