import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { finishRun } from './finish.ts';
import { judgeRun } from './judge.ts';
import { lexicalJudge } from './judges/lexical.ts';
import { sealed } from './run.ts';
import { answeredRun } from './testing/fixtures.ts';
import { verifyRun } from './verify.ts';

async function judgedRun(): Promise<string> {
  const dir = await answeredRun();
  await judgeRun({ dir, judge: lexicalJudge(), signal: new AbortController().signal });
  return dir;
}

type Json = Record<string, unknown>;

/** Edits the first record of a file that fits; `reseal` makes its own hash right again, as a careful forger would. */
function edit(
  dir: string,
  file: string,
  fits: (record: Json) => boolean,
  change: (record: Json) => Json,
  reseal = false,
): void {
  const path = join(dir, file);
  let open = true;
  const lines = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const record = JSON.parse(line) as Json;
      if (!open || !fits(record)) return line;
      open = false;
      const { hash, ...rest } = change(record);
      return JSON.stringify(reseal ? sealed(rest) : { ...rest, hash });
    });
  writeFileSync(path, `${lines.join('\n')}\n`);
}

const any = () => true;

test('an untouched run has no problem', async () => {
  expect(verifyRun(await judgedRun())).toEqual([]);
});

test.each([false, true])('a verdict turned from yes to no is found (its hash recomputed: %s)', async (reseal) => {
  const dir = await judgedRun();
  edit(dir, 'verdicts.jsonl', any, (verdict) => ({ ...verdict, supported: false }), reseal);
  expect(verifyRun(dir).join('\n')).toMatch(
    reseal ? /verdicts.jsonl: records were added, replaced/ : /verdicts.jsonl:1: the record was changed/,
  );
});

test('a verdict moved to another sentence, passage or answer is found', async () => {
  const dir = await judgedRun();
  const zero = '0'.repeat(32);
  edit(dir, 'verdicts.jsonl', any, (verdict) => ({ ...verdict, passage_hash: zero }), true);
  expect(verifyRun(dir).join('\n')).toContain('belongs to another passage');
  edit(dir, 'verdicts.jsonl', any, (verdict) => ({ ...verdict, answer_hash: zero }), true);
  expect(verifyRun(dir).join('\n')).toContain('belongs to another answer');
  edit(dir, 'verdicts.jsonl', any, (verdict) => ({ ...verdict, citation: 9 }), true);
  expect(verifyRun(dir).join('\n')).toContain('has no such citation');
});

test('an edited answer is found, also when its own hash was recomputed', async () => {
  const dir = await judgedRun();
  const better = (record: Json) => ({
    ...record,
    answer: { ...(record.answer as Json), answer: 'Alpha is 5 [1]. Sure.' },
  });
  edit(dir, 'answers.jsonl', (record) => record.case_id === 'one', better, true);
  expect(verifyRun(dir).join('\n')).toContain('case one, run 1: the answer or its passages do not match');
});

test('an edited passage is found', async () => {
  const dir = await judgedRun();
  const other = (record: Json) => ({
    ...record,
    sources: (record.sources as Json[]).map((source) => ({ ...source, text: 'Alpha is 6.' })),
  });
  edit(dir, 'answers.jsonl', (record) => record.case_id === 'one', other);
  const found = verifyRun(dir).join('\n');
  expect(found).toContain('the record was changed');
  expect(found).toContain('belongs to another passage');
});

test('a removed answer, a doubled one and a removed verdict are found', async () => {
  const dir = await judgedRun();
  const path = join(dir, 'answers.jsonl');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const gone = JSON.parse(lines[3] ?? '{}') as { case_id: string };
  writeFileSync(path, `${[lines[0], lines[0], lines[1], lines[2]].join('\n')}\n`);
  expect(verifyRun(dir)).toContainEqual(`case ${gone.case_id}, run 1: has no answer`);
  expect(verifyRun(dir).join('\n')).toContain('has 2 answers');
  const verdicts = join(dir, 'verdicts.jsonl');
  writeFileSync(verdicts, readFileSync(verdicts, 'utf8').split('\n').slice(1).join('\n'));
  expect(verifyRun(dir).join('\n')).toContain('verdicts.jsonl: records were added, replaced or removed');
});

test('a field that nobody reads counts as an edit too', async () => {
  const dir = await judgedRun();
  edit(dir, 'retrieval.jsonl', any, (record) => ({ ...record, extra: 1 }));
  expect(verifyRun(dir)).toEqual(['retrieval.jsonl:1: the record was changed after it was written']);
});

test('a case edited in the run folder is found', async () => {
  const dir = await judgedRun();
  const path = join(dir, 'cases.jsonl');
  writeFileSync(path, readFileSync(path, 'utf8').replace('Question one?', 'Question 1?'));
  expect(verifyRun(dir)).toEqual([
    'cases.jsonl: these are not the cases of the manifest',
    'case one: its records belong to another version of the case',
  ]);
});

test('a tampered summary changes nothing: it is computed again from the records', async () => {
  const dir = await judgedRun();
  finishRun(dir);
  const path = join(dir, 'summary.json');
  const honest = readFileSync(path, 'utf8');
  writeFileSync(path, honest.replaceAll(/"value": [\d.]+/g, '"value": 1'));
  expect(verifyRun(dir)).toEqual([]);
  finishRun(dir);
  expect(readFileSync(path, 'utf8')).toBe(honest);
});

test('a run whose judging was cut off says so', async () => {
  const dir = await answeredRun();
  const controller = new AbortController();
  const outcome = await judgeRun({
    dir,
    judge: lexicalJudge(),
    signal: controller.signal,
    onProgress: () => controller.abort(),
  });
  expect(outcome.interrupted).toBe(true);
  expect(verifyRun(dir)).toEqual(['verdicts.jsonl: the phase was never finished']);
});
