/** The whole runner without k6: a fake one, the real service over a small index, the stand-in. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { runCli } from '../scripts/cli.ts';
import { indexPaths } from '../service/search/ingest/index.ts';
import { loadtestCommand } from './command.ts';
import { resultSchema } from './result.ts';
import { fakeK6 } from './testing/fake-k6.ts';
import { pointSummary } from './testing/summaries.ts';

// Two processes are started for each point; on a busy machine that alone takes half a minute.
const PATIENCE_MS = 120_000;
const folder = mkdtempSync(join(tmpdir(), 'askdocs-loadtest-test-'));
const db = join(folder, 'docs.db');
const cases = join(folder, 'cases.jsonl');

beforeAll(async () => {
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'docs', 'a.md'), '# Limits\n\nThe option `bodyLimit` is 1 MiB by default.\n');
  await indexPaths({ roots: [join(folder, 'docs')], db });
  writeFileSync(cases, `${JSON.stringify({ id: 'a', kind: 'factual', question: 'What is bodyLimit?' })}\n`);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function loadtest(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += text;
    return true;
  });
  const argv = ['--db', db, '--cases', cases, '--out', join(folder, 'results'), '--warm-up', '0', ...args];
  const sink = { write: (text: string) => (err += text) };
  const code = await runCli(loadtestCommand as unknown as Parameters<typeof runCli>[0], argv, sink);
  spy.mockRestore();
  return { code, out, err };
}

it(
  'starts stand-in and service for each point and writes result and table',
  async () => {
    const k6 = fakeK6(folder, { summary: JSON.stringify(pointSummary()) });
    const { code, out, err } = await loadtest(
      '--stand-in',
      '--k6',
      k6,
      '--users',
      '4,8',
      '--sweep',
      'limit=2',
      '--warm-up',
      '1',
      '--name',
      'x',
    );
    expect(err).toBe('');
    expect(code).toBe(0);
    const result = resultSchema.parse(JSON.parse(readFileSync(join(folder, 'results', 'x.json'), 'utf8')));
    expect(result).toMatchObject({ target: 'stand-in', versions: { k6: '2.2.0' }, model: { slots: 4 } });
    expect(result.settings).toMatchObject({ questions: 1, topK: 5, maxTokens: 128, warmUpQuestions: 1 });
    expect(result.points).toMatchObject([{ users: 8, limit: 2, pauseS: 1, answersPerS: 1 }]);
    // The question before was answered, and is not among those that k6 asked, which were none.
    expect(result.points[0]?.server).toBeNull();
    const page = readFileSync(join(folder, 'results', 'x.md'), 'utf8');
    expect(page).toContain('| 8 | 2 | 1 | 1.000 |');
    expect(out).toContain(page);
  },
  PATIENCE_MS,
);

it(
  'ends with 1 when a stream was wrong',
  async () => {
    const k6 = fakeK6(folder, { summary: JSON.stringify(pointSummary({ broken: 2, thresholdsMet: false })), code: 99 });
    expect((await loadtest('--stand-in', '--k6', k6, '--users', '4', '--name', 'y')).code).toBe(1);
  },
  PATIENCE_MS,
);

it.each([
  ['k6', ['--stand-in', '--k6', '/no/such/k6'], /k6 is needed and there is no program/],
  ['the index', ['--stand-in', '--db', '/no/such/db'], /There is no file \/no\/such\/db; make one with askdocs index/],
  ['the model', ['--llm', 'http://127.0.0.1:9'], /No llama\.cpp server answers at http:\/\/127\.0\.0\.1:9; start one/],
  ['questions', ['--stand-in', '--cases', '/dev/null'], /holds no factual or multi_source case/],
])('says what to do when %s is missing', async (_what, args, message) => {
  const k6 = fakeK6(folder, { summary: '' });
  const { code, err } = await loadtest(...(args.includes('--k6') ? args : [...args, '--k6', k6]));
  expect(err).toMatch(message);
  expect(code).toBe(64);
});
