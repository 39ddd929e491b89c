import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunRecords, readRun } from '../run.ts';
import type { AnswerRecord } from '../schema.ts';
import { annotations } from './finding.ts';
import { liveChanges, liveFindings } from './live.ts';
import { sayRight, someCases, writeRunFolder } from './testing/run-folder.ts';

let dir = '';
let recorded: RunRecords;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'live-'));
  recorded = readRun(await writeRunFolder(join(dir, 'run'), { judge: false }));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const withFirst = (change: (record: AnswerRecord) => AnswerRecord): RunRecords => ({
  ...recorded,
  answers: recorded.answers.map((record, i) => (i === 0 ? change(record) : record)),
});
const answerOf = (change: Partial<NonNullable<AnswerRecord['answer']>>) =>
  withFirst((record) => ({ ...record, answer: { ...record.answer!, ...change } }));

test('the same records, other times and trace ids: nothing changed', () => {
  const timings = { retrieval_ms: 9, ttft_ms: 9, generation_ms: 9, total_ms: 9 };
  expect(liveChanges(recorded, answerOf({ timings, trace_id: 'other' }))).toEqual([]);
});

test.each([
  ['answer', () => answerOf({ answer: 'Something else [1].' })],
  ['answer', () => answerOf({ refusal: 'model' })],
  ['citations', () => answerOf({ citations: [1, 2] })],
  ['citations', () => answerOf({ invalid_citations: [7] })],
  ['quotes', () => answerOf({ evidence: [{ sentence: 's', start: 0, end: 1, citations: [{ n: 1, quote: null }] }] })],
  ['passages', () => withFirst((record) => ({ ...record, sources: record.sources.map((s) => ({ ...s, text: 'x' })) }))],
  [
    'passages',
    () => withFirst((record) => ({ ...record, sources: record.sources.map((s) => ({ ...s, used: false })) })),
  ],
  [
    'ranking',
    () => ({ ...recorded, retrievals: recorded.retrievals.map((r, i) => (i === 0 ? { ...r, passages: [] } : r)) }),
  ],
] as const)('a change of %s is found', (part, fresh) => {
  expect(liveChanges(recorded, fresh())).toEqual([{ id: 'part-0', parts: [part] }]);
});

test('scores may differ in their last digits', () => {
  const fresh = withFirst((record) => ({ ...record, sources: record.sources.map((s) => ({ ...s, bm25: 5.000001 })) }));
  expect(liveChanges(recorded, fresh)).toEqual([]);
});

test('one sentence, and an annotation on the line of each case', async () => {
  const fresh = readRun(
    await writeRunFolder(join(dir, 'fresh'), {
      judge: false,
      say: (item) =>
        item.id === 'part-1' || item.id === 'part-2' ? { text: 'No.', refused: true, shown: [] } : sayRight(item),
    }),
  );
  const lines = new Map(someCases().map(({ id }, i) => [id, i + 1]));
  const found = liveFindings('results/b', liveChanges(recorded, fresh), 24, { path: 'cases.jsonl', cases: [], lines });
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ kind: 'stale', file: 'cases.jsonl' });
  expect(found[0]!.message).toContain(
    'no longer gives what was recorded in 2 of 24 cases (ranking of 2, passages of 2, answer of 2, citations of 2)',
  );
  expect(annotations(found).filter((line) => line.includes('line=2,') || line.includes('line=3,'))).toHaveLength(2);
  expect(liveFindings('results/b', [], 24, { path: 'c', cases: [], lines })).toEqual([]);
});
