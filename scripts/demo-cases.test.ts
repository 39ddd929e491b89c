/** The demo cases against the documents they are about. The corpus comes from the package registry; once fetched it stays. */
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { checkCases } from '../harness/case-check.ts';
import { loadCases } from '../harness/cases.ts';
import { corpusReader } from '../harness/corpus.ts';
import { buildCorpus } from './build-corpus.ts';

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const cases = loadCases(at('cases/demo.jsonl'));

beforeAll(async () => {
  await buildCorpus(at('data/corpus'));
}, 120_000);

test('every labelled file exists, and every key fact stands word for word in a labelled file', () => {
  const problems = checkCases(cases, corpusReader(at('data/corpus')));
  expect(problems.filter((problem) => problem.level === 'error')).toEqual([]);
});

test('no file is in both splits, and no kind is too small to gate on', () => {
  const problems = checkCases(cases, corpusReader(at('data/corpus')));
  expect(problems.filter((problem) => problem.level === 'warning')).toEqual([]);
});

test('there are enough cases of each kind', () => {
  expect(cases.length).toBeGreaterThanOrEqual(80);
  for (const [kind, least] of [
    ['factual', 44],
    ['multi_source', 12],
    ['unanswerable', 14],
    ['off_topic', 10],
  ]) {
    expect(cases.filter((item) => item.kind === kind).length).toBeGreaterThanOrEqual(Number(least));
  }
  expect(new Set(cases.map((item) => item.lang)).size).toBeGreaterThan(2);
});
