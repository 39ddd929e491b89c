/**
 * Measures what each choice of the retriever gains, for docs/retrieval.md: on the demo cases, or on folders in BEIR's format
 * (corpus.jsonl, queries.jsonl, qrels/test.tsv), several at once.
 * `npx tsx scripts/study-retrieval.ts TABLE [--split dev] [--cases FILE --db INDEX] [--beir FOLDER]… [--demo] [--format json]`
 * TABLE is fusion, words, passages, late, common, cjk or gate.
 */
import { parseArgs } from 'node:util';
import { CodedError } from '../service/contract.ts';
import type { Embedder } from '../service/search/embed/embedder.ts';
import { embedSettings, openEmbedder } from '../service/search/embed/open.ts';
import { studyCjk } from './study/cjk.ts';
import { studyCommon } from './study/common.ts';
import { studyFusion } from './study/fusion.ts';
import { printGate, studyGate } from './study/gate.ts';
import { studyLate } from './study/late.ts';
import { studyPassages } from './study/passages.ts';
import { openSets, type StudySet } from './study/sets.ts';
import { measure, printTable, type Variant } from './study/table.ts';
import { studyWords } from './study/words.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** The cases too, beside folders. */
    demo: { type: 'boolean', default: false },
    corpus: { type: 'string', default: 'data/corpus' },
    cases: { type: 'string', default: 'cases/demo.jsonl' },
    db: { type: 'string', default: 'data/docs.db' },
    beir: { type: 'string', multiple: true, default: [] },
    split: { type: 'string', default: 'dev' },
    format: { type: 'string', default: 'text' },
  },
});
const TABLES: Record<string, (sets: readonly StudySet[], model: Embedder | null) => Promise<Variant[]>> = {
  fusion: studyFusion,
  words: studyWords,
  passages: (sets, model) => studyPassages(sets, model, values.corpus),
  late: (sets, model) => studyLate(sets, model, embedSettings(process.env).models ?? '.models'),
  common: studyCommon,
  cjk: studyCjk,
};

const [table = 'fusion'] = positionals;
const study = TABLES[table];
if (study === undefined && table !== 'gate')
  throw new CodedError('bad_input', `There is no table ${table}; there are gate, ${Object.keys(TABLES).join(', ')}.`);
const { embedder } = await openEmbedder(embedSettings(process.env));
const sets = await openSets({ ...values, withCases: values.beir.length === 0 || values.demo }, embedder);
if (study === undefined) {
  const found = await studyGate(sets, embedder, values);
  if (values.format === 'json') console.log(JSON.stringify(found));
  else printGate(found);
} else {
  const rows = measure(sets, await study(sets, embedder));
  if (values.format === 'json') console.log(JSON.stringify({ table, sets: sets.map(({ name }) => name), rows }));
  else printTable(`${table}${embedder === null ? ', without an embedder' : ''}`, sets, rows);
}
