import { expect, test } from 'vitest';
import { checkCases } from './case-check.ts';
import { importLines, importSquad } from './case-import.ts';
import { caseHash, casesHash, diffCases, parseCases } from './cases.ts';
import type { Case } from './schema.ts';
import { CASES, makeCase } from './testing/fixtures.ts';

const line = (change: Record<string, unknown>) =>
  JSON.stringify({
    id: 'x',
    kind: 'factual',
    split: 'dev',
    question: 'Q?',
    files: ['a.md'],
    key_facts: [{ any: ['f'] }],
    ...change,
  });

test.each([
  ['a wrong kind', line({ kind: 'fact' }), 'c.jsonl:2: kind: '],
  [
    'an empty alternative',
    line({ key_facts: [{ any: ['f', ' '] }] }),
    'c.jsonl:2: key_facts[0].any[1]: must not be empty',
  ],
  ['an unknown field', line({ answer: 'x' }), 'answer'],
  ['two files wanted', line({ kind: 'multi_source' }), 'c.jsonl:2: files: a multi_source case names at least 2'],
  ['labels where none may be', line({ kind: 'off_topic' }), 'c.jsonl:2: files: must be empty'],
  ['no fact', line({ key_facts: [] }), 'c.jsonl:2: key_facts: needs at least one vital fact'],
  ['the same id twice', line({ id: 'first' }), 'c.jsonl:2: id: "first" stands in line 1 already'],
  ['no JSON', '{"id":', 'c.jsonl:2: not valid JSON'],
])('%s: line and field are named', (_, bad, message) => {
  expect(() => parseCases(`${line({ id: 'first' })}\n${bad}\n`, 'c.jsonl')).toThrow(message);
});

test('a file without a case is refused', () => {
  expect(() => parseCases('\n', 'c.jsonl')).toThrow('holds no case');
});

test('the hash changes with what is asked or expected, not with remarks or order', () => {
  const item = makeCase({ id: 'x' });
  expect(caseHash({ ...item, note: 'a remark', tags: ['typo'] })).toBe(caseHash(item));
  expect(caseHash({ ...item, question: 'Another?' })).not.toBe(caseHash(item));
  expect(caseHash({ ...item, key_facts: [] })).not.toBe(caseHash(item));
  expect(casesHash([...CASES].reverse())).toBe(casesHash(CASES));
});

test('added, edited and removed cases are told apart', () => {
  const now = [...CASES.slice(1), makeCase({ id: 'new' })].map((item) =>
    item.id === 'two' ? { ...item, question: 'Other?' } : item,
  );
  expect(diffCases(CASES, now)).toEqual({ added: ['new'], edited: ['two'], removed: ['one'] });
});

const documents: Record<string, string> = { 'docs/a.md': 'Alpha is 5. It is not fast.', 'docs/b.md': 'Beta is 7.' };
const errorsOf = (cases: Case[]) =>
  checkCases(cases, (source) => documents[source] ?? null).flatMap((item) =>
    item.level === 'error' ? item.message : [],
  );

test('good cases have no error', () => {
  expect(errorsOf(CASES)).toEqual([]);
});

test.each([
  ['a file that is not there', makeCase({ id: 'x', files: ['docs/z.md'] }), 'which is not among the documents'],
  [
    'a fact that is not in its file',
    makeCase({ id: 'x', key_facts: [{ any: ['Gamma'], vital: true }] }),
    'stands in none of its files',
  ],
  [
    'a fact the file denies',
    makeCase({ id: 'x', key_facts: [{ any: ['fast'], vital: true }] }),
    'is not recognised there',
  ],
  [
    'a fact that is half a word',
    makeCase({ id: 'x', key_facts: [{ any: ['lpha'], vital: true }] }),
    'is not recognised there',
  ],
])('%s is an error', (_, item, message) => {
  expect(errorsOf([item]).join()).toContain(message);
});

test('the same question twice is an error, a file in both splits and a small kind are warnings', () => {
  const cases = [
    makeCase({ id: 'x', question: 'What is alpha?' }),
    makeCase({ id: 'y', question: 'what is Alpha', split: 'test' }),
  ];
  const found = checkCases(cases, (source) => documents[source] ?? null);
  expect(found).toContainEqual({ level: 'error', case_id: 'y', message: 'asks the same as x' });
  expect(found).toContainEqual({
    level: 'warning',
    case_id: 'y',
    message: expect.stringContaining('but x asks about docs/a.md in split dev'),
  });
  expect(found).toContainEqual({
    level: 'warning',
    case_id: null,
    message: expect.stringContaining('0 case(s) of kind multi_source'),
  });
});

test('SQuAD 2.0 becomes documents and cases; the unanswerable ones must be refused', () => {
  const squad = {
    version: 'v2.0',
    data: [
      {
        title: 'Steam_engine',
        paragraphs: [
          {
            context: 'Watt improved it in 1769.',
            qas: [
              {
                id: 1,
                question: 'When?',
                answers: [
                  { text: '1769', answer_start: 20 },
                  { text: '1769', answer_start: 20 },
                ],
                is_impossible: false,
              },
              { id: 2, question: 'Where?', answers: [], is_impossible: true },
              { id: 3, question: 'Why?', answers: [], is_impossible: false },
            ],
          },
        ],
      },
    ],
  };
  const { cases, documents: docs, skipped } = importSquad(JSON.stringify(squad), 's.json');
  expect([...docs]).toEqual([['Steam_engine.md', '# Steam engine\n\nWatt improved it in 1769.\n']]);
  expect(cases[0]).toMatchObject({
    id: '1',
    kind: 'factual',
    files: ['Steam_engine.md'],
    key_facts: [{ any: ['1769'] }],
  });
  expect(cases[1]).toMatchObject({ id: '2', kind: 'unanswerable', files: [], key_facts: [] });
  expect(skipped).toHaveLength(1);
  expect(() => importSquad('{"data":[{}]}', 's.json')).toThrow("not in SQuAD's format: data.0.title");
});

test('JSONL of questions with gold documents becomes cases; files keep to one split', () => {
  const lines = [
    { id: 'a', question: 'One?', answers: ['x', 'y'], gold_docs: ['d1'], answerable: true },
    { id: 'b', question: 'Two?', answers: ['z'], gold_docs: ['d1', 'd2'], answerable: true },
    { id: 'c', question: 'Three?', answers: [], gold_docs: [], answerable: false },
  ];
  const { cases } = importLines(lines.map((item) => JSON.stringify(item)).join('\n'), 'l.jsonl');
  expect(cases.map((item) => item.kind)).toEqual(['factual', 'multi_source', 'unanswerable']);
  expect(cases[0]?.key_facts[0]?.any).toEqual(['x', 'y']);
  expect(cases[0]?.split).toBe(cases[1]?.split);
  expect(() => importLines('{"id":"a"}', 'l.jsonl')).toThrow('l.jsonl:1: question');
});
