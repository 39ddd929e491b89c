/** The harness as a process, killed with -9 in either phase and started again. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { Case } from '../harness/schema.ts';
import { fakeModel } from '../harness/testing/fake-model.ts';
import { fakeService, goodReply, makeCase } from '../harness/testing/fixtures.ts';
import { verifyRun } from '../harness/verify.ts';

const CLI = fileURLToPath(new URL('askdocs.js', import.meta.url));

function folder(cases: Case[]): { dir: string; casesPath: string } {
  const dir = mkdtempSync(join(tmpdir(), 'askdocs-eval-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const casesPath = join(dir, 'cases.jsonl');
  writeFileSync(casesPath, cases.map((item) => `${JSON.stringify(item)}\n`).join(''));
  return { dir, casesPath };
}

/** Runs the command; with `killAt`, kills it once the file has that many lines. */
async function askdocs(
  args: string[],
  kill?: { file: string; lines: number },
): Promise<{ code: number | null; err: string }> {
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let err = '';
  child.stderr.on('data', (chunk) => {
    err += String(chunk);
  });
  const watch =
    kill &&
    setInterval(() => {
      if (existsSync(kill.file) && readFileSync(kill.file, 'utf8').split('\n').length > kill.lines)
        child.kill('SIGKILL');
    }, 5);
  const code = await new Promise<number | null>((resolve) => child.once('exit', (status) => resolve(status)));
  clearInterval(watch);
  return { code, err };
}

const linesOf = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n');
const keysOf = (path: string) =>
  linesOf(path).map((line) => {
    const { case_id, run, sentence = '', citation = '' } = JSON.parse(line) as Record<string, unknown>;
    return `${case_id}#${run}:${sentence}:${citation}`;
  });

test('killed with -9 in either phase it goes on: nothing is answered or judged twice, and the result is the same to the byte', async () => {
  const cases = Array.from({ length: 12 }, (_, index) =>
    makeCase({ id: `c${index}`, question: `Question ${index} about one?` }),
  );
  const { dir, casesPath } = folder(cases);
  const service = await fakeService(goodReply, { delayMs: 40 });
  const model = await fakeModel(() => ({ text: 'yes' }));
  const judged = ['--judge', 'llm', '--judge-url', model.baseUrl, '--judge-concurrency', '1'];
  const all = (out: string) => [
    'eval',
    'all',
    '--url',
    service.url,
    '--cases',
    casesPath,
    '--out',
    join(dir, out),
    '--concurrency',
    '1',
    ...judged,
  ];
  const answers = join(dir, 'cut', 'answers.jsonl');
  const verdicts = join(dir, 'cut', 'verdicts.jsonl');

  expect((await askdocs(all('cut'), { file: answers, lines: 4 })).code).toBeNull();
  const kept = linesOf(answers).length;
  expect(kept).toBeGreaterThanOrEqual(4);
  expect(kept).toBeLessThan(12);
  expect((await askdocs(all('cut'), { file: verdicts, lines: 3 })).code).toBeNull();
  const asked = service.asked.length;
  const done = await askdocs(all('cut'));
  expect(done.code).toBe(0);
  expect(service.asked.length).toBe(asked);
  for (const path of [answers, verdicts]) {
    expect(keysOf(path)).toHaveLength(12);
    expect(new Set(keysOf(path)).size).toBe(12);
  }
  expect(verifyRun(join(dir, 'cut'))).toEqual([]);

  expect((await askdocs(all('whole'))).code).toBe(0);
  for (const file of ['summary.json', 'report.md']) {
    expect(readFileSync(join(dir, 'cut', file), 'utf8')).toBe(readFileSync(join(dir, 'whole', file), 'utf8'));
  }
}, 60_000);

test('Ctrl-C says what is kept and how to go on', async () => {
  const cases = Array.from({ length: 30 }, (_, index) =>
    makeCase({ id: `c${index}`, question: `Question ${index} about one?` }),
  );
  const { dir, casesPath } = folder(cases);
  const service = await fakeService(goodReply, { delayMs: 40 });
  const child = spawn(
    process.execPath,
    [CLI, 'eval', 'answer', '--url', service.url, '--cases', casesPath, '--out', join(dir, 'run')],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let err = '';
  child.stderr.on('data', (chunk) => {
    err += String(chunk);
  });
  let sent = false;
  const watch = setInterval(() => {
    if (!sent && service.asked.length >= 3) sent = child.kill('SIGINT');
  }, 10);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(watch);
  expect(code).toBe(130);
  expect(err).toMatch(/Stopped: \d+ of 30 answers are kept in .*run\. The same command with --out .*run goes on\./);
});

test('--only and --failed choose cases; wrong use is one sentence and exit code 64', async () => {
  const cases = [makeCase({ id: 'one' }), makeCase({ id: 'other' })];
  const { dir, casesPath } = folder(cases);
  const service = await fakeService(goodReply);
  const eval_ = (...more: string[]) => askdocs(['eval', 'all', '--url', service.url, '--cases', casesPath, ...more]);
  expect((await eval_('--out', join(dir, 'a'))).code).toBe(0);
  // "other" was refused although it has an answer.
  expect((await eval_('--out', join(dir, 'b'), '--failed', join(dir, 'a'))).code).toBe(0);
  expect(keysOf(join(dir, 'b', 'answers.jsonl'))).toEqual(['other#1::']);
  expect((await eval_('--out', join(dir, 'c'), '--only', 'one')).code).toBe(0);
  expect(keysOf(join(dir, 'c', 'answers.jsonl'))).toEqual(['one#1::']);
  for (const wrong of [
    ['--only', 'nobody'],
    ['--judge', 'oracle'],
  ]) {
    const { code, err } = await eval_('--out', join(dir, 'd'), ...wrong);
    expect([code, err.trim().split('\n').length], err).toEqual([64, 1]);
  }
}, 60_000);
