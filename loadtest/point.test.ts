import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runPoint } from './point.ts';
import { type FakeK6, fakeK6 } from './testing/fake-k6.ts';
import { pointSummary } from './testing/summaries.ts';

const folder = mkdtempSync(join(tmpdir(), 'askdocs-point-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

function run(fake: FakeK6, signal = new AbortController().signal) {
  const k6 = { path: fakeK6(folder, fake), version: '2.2.0' };
  const times = { durationS: 60, edgeS: 5, pauseS: 1, offset: 7 };
  return runPoint({ k6, serviceUrl: 'http://127.0.0.1:1', cases: '/cases.jsonl', users: 4, ...times, signal });
}

it('hands k6 its settings and reads the summary', async () => {
  const summary = pointSummary();
  expect(await run({ summary: JSON.stringify(summary) })).toEqual(summary);
  const calls = readFileSync(join(folder, 'calls.txt'), 'utf8').trim().split('\n');
  const args = JSON.parse(calls.at(-1) ?? '') as string[];
  expect(args[0]).toBe('run');
  expect(args.at(-1)).toMatch(/loadtest\/k6\/ask\.ts$/);
  for (const pair of [
    'ASKDOCS_URL=http://127.0.0.1:1',
    'USERS=4',
    'DURATION_S=60',
    'EDGE_S=5',
    'PAUSE_S=1',
    'OFFSET=7',
  ]) {
    expect(args).toContain(pair);
  }
  expect(args).toContain('--no-usage-report');
});

it('keeps the numbers of a run whose thresholds were crossed', async () => {
  const summary = pointSummary({ broken: 1, thresholdsMet: false });
  expect(await run({ summary: JSON.stringify(summary), code: 99 })).toEqual(summary);
});

it.each<[string, FakeK6, RegExp]>([
  ['ends with an error', { code: 107, stderr: 'SyntaxError in ask.ts' }, /ended with code 107: SyntaxError in ask\.ts/],
  ['writes nothing', { stderr: 'no space left' }, /wrote no summary: no space left/],
  ['writes no JSON', { summary: '{"users": 4' }, /wrote no summary/],
  ['writes something else', { summary: '{"users": 4}' }, /of another shape: .*answersInWindow/],
])('refuses a run that %s', async (_what, fake, message) => {
  await expect(run(fake)).rejects.toThrow(message);
});

it('ends with one sentence when it is stopped', async () => {
  await expect(run({ summary: '{}' }, AbortSignal.abort())).rejects.toThrow('Stopped; nothing was written.');
});
