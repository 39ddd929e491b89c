import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compareRuns } from '../harness/gate/compare.ts';
import { lexicalJudge } from '../harness/judges/lexical.ts';
import { RUN_FILES, readRun } from '../harness/run.ts';
import { type Case, caseSchema } from '../harness/schema.ts';
import { standInCommand } from '../service/testing/retrieval.ts';
import { type AbOptions, readSettings, runAb } from './ab.ts';
import { allowedKinds } from './allow.ts';
import { createProgress } from './progress.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ab-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** The stand-in's second passage answers them, so that one passage is too few. */
const cases: Case[] = Array.from({ length: 12 }, (_, i) =>
  caseSchema.parse({
    id: `case-${i}`,
    kind: 'factual',
    split: 'dev',
    question: `Is logging off by default, question ${i}?`,
    files: ['logging.md'],
    key_facts: [{ any: ['off by default'] }],
  }),
);

const settings = (topK: number) => ({
  ASKDOCS_MCP_COMMAND: standInCommand('typed')
    .map((word) => `'${word}'`)
    .join(' '),
  ASKDOCS_TOP_K: `${topK}`,
  ASKDOCS_WARMUP: 'false',
});

function options(change: Partial<AbOptions> = {}): AbOptions {
  const progress = createProgress({ write: () => undefined });
  const signal = new AbortController().signal;
  const fixed = { casesPath: 'cases.jsonl', out: dir, judge: lexicalJudge(), seed: 'x', signal, progress };
  return { a: settings(3), b: settings(1), runs: 2, cases, ...fixed, ...change };
}

test('asks both sides in turn, over HTTP, and the worse one is found', async () => {
  const outcome = await runAb(options());
  expect(outcome).toEqual({
    a: [join(dir, 'a-1'), join(dir, 'a-2')],
    b: [join(dir, 'b-1'), join(dir, 'b-2')],
    interrupted: false,
  });
  const created = ['a-1', 'b-1', 'a-2', 'b-2'].map((name) => readRun(join(dir, name)).manifest.created);
  expect(created).toEqual([...created].sort());
  const result = compareRuns({
    base: outcome.a,
    new: outcome.b,
    margins: { context_recall: 0.05 },
    noise: {},
    allow: [],
  });
  expect(result).toMatchObject({ verdict: 'REGRESSION', exit: 1 });
  expect(result.metrics[0]).toMatchObject({ metric: 'context_recall', base: 1, new: 0 });
});

test('no prompt cache, and an order that both sides share but no two repetitions', async () => {
  await runAb(options());
  const manifest = (name: string) => readRun(join(dir, name)).manifest;
  expect(manifest('a-1').service.settings).toMatchObject({ cache_prompt: false, top_k: 3 });
  expect(manifest('b-1').service.settings).toMatchObject({ cache_prompt: false, top_k: 1 });
  expect(manifest('a-1').cases).toEqual(manifest('b-1').cases);
  expect(manifest('a-1').cases).toMatchObject({ order: 'shuffled', seed: 'x/1' });
  expect(manifest('a-2').cases.seed).toBe('x/2');
});

test('what is finished is not asked again; the same command goes on', async () => {
  await runAb(options({ runs: 1 }));
  const before = readFileSync(join(dir, 'a-1', RUN_FILES.answers), 'utf8');
  await runAb(options({ runs: 2 }));
  expect(readFileSync(join(dir, 'a-1', RUN_FILES.answers), 'utf8')).toBe(before);
  expect(readRun(join(dir, 'b-2')).answers).toHaveLength(12);
});

describe('wrong use is refused', () => {
  test('a settings file that is not there, or holds what is no setting', async () => {
    expect(() => readSettings(join(dir, 'none.env'), {})).toThrow('none.env does not exist');
    writeFileSync(join(dir, 'a.env'), 'ASKDOCS_TOP_K=99\n');
    const a = readSettings(join(dir, 'a.env'), { ASKDOCS_TOP_K: '5', HOME: '/h' });
    expect(a).toEqual({ ASKDOCS_TOP_K: '99', HOME: '/h' });
    await expect(runAb(options({ a }))).rejects.toThrow('ASKDOCS_TOP_K');
  });
  test('a side without an index', async () => {
    await expect(runAb(options({ b: { ASKDOCS_MCP_DB: join(dir, 'none.db') } }))).rejects.toThrow(
      'side b has no index at',
    );
  });
  test('an unknown difference to allow', () => {
    expect(allowedKinds('cases,judge')).toEqual(['cases', 'judge']);
    expect(() => allowedKinds('all')).toThrow('--allow takes cases, corpus, judge, mixed, not "all"');
  });
});
