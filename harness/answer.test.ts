import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerCases, schedule } from './answer.ts';
import { readRun } from './run.ts';
import { askdocsTarget } from './targets/askdocs.ts';
import { say } from './testing/fake-service.ts';
import { A, answeredRun, CASES, fakeService, goodReply, makeCase, manifestOf, tempDir } from './testing/fixtures.ts';
import { verifyRun } from './verify.ts';

const idle = () => new AbortController().signal;

function options(dir: string, url: string, runs = 1) {
  return {
    dir,
    cases: CASES,
    manifest: manifestOf(CASES, runs),
    target: askdocsTarget(url),
    concurrency: 2,
    signal: idle(),
  };
}

test('asks every case once, with the passages the model saw, and retrieval apart', async () => {
  const dir = await answeredRun();
  const { answers, retrievals } = readRun(dir);
  expect(answers.map((record) => record.case_id)).toEqual(['one', 'two', 'none', 'off']);
  expect(answers[0]?.sources.map((source) => source.source)).toEqual(['docs/a.md', 'docs/b.md']);
  expect(answers[0]?.client.ttft_ms).toBeGreaterThan(0);
  expect(retrievals).toHaveLength(4);
  expect(retrievals[0]).toMatchObject({
    k: 10,
    ungated: true,
    passages: [{ source: 'docs/a.md' }, { source: 'docs/b.md' }],
  });
  expect(verifyRun(dir)).toEqual([]);
});

test('a busy service is waited for, and is not an error', async () => {
  const service = await fakeService((question, nth) =>
    nth <= 2 ? { status: 503, retryAfter: '0' } : goodReply(question, nth),
  );
  const dir = join(tempDir(), 'run');
  const outcome = await answerCases(options(dir, service.url));
  expect(outcome).toMatchObject({ done: 4, errors: 0 });
  expect(readRun(dir).answers.reduce((sum, record) => sum + record.client.attempts, 0)).toBe(6);
});

test('a service that fails every third answer leaves a record for each of them', async () => {
  const failing = {
    stage: 'generation',
    code: 'generation_failed',
    message: 'the model is gone',
    trace_id: 'x',
  } as const;
  const cases = Array.from({ length: 9 }, (_, index) => makeCase({ id: `c${index}` }));
  const dir = await answeredRun(
    (question, nth) =>
      nth % 3 === 0
        ? [say('', [A])[0]!, { event: 'error', data: failing }]
        : goodReply(question.replace(/c\d/, 'one'), nth),
    cases,
  );
  const { answers } = readRun(dir);
  const errors = answers.filter((record) => record.status === 'error');
  expect(answers).toHaveLength(9);
  expect(errors).toHaveLength(3);
  expect(errors[0]).toMatchObject({ answer: null, error: { stage: 'generation', message: 'the model is gone' } });
  expect(verifyRun(dir)).toEqual([]);
});

test.each([
  ['a stream without an end', 'event: sources\ndata: {"sources":[]}\n\n', 'ended without done or error'],
  ['a token before the sources', 'event: token\ndata: {"text":"x"}\n\n', 'before the sources'],
  [
    'a done of another shape',
    'event: sources\ndata: {"sources":[]}\n\nevent: done\ndata: {"answer":1}\n\n',
    'another shape: answer',
  ],
  ['data that is not JSON', 'event: sources\ndata: {\n\n', 'not JSON'],
  ['an unknown event', 'event: bye\ndata: {}\n\n', 'unknown name came: bye'],
])('%s is a protocol error, not an answer', async (_, raw, message) => {
  const service = await fakeService(() => ({ raw }));
  const asked = await askdocsTarget(service.url).ask('x', idle());
  expect(asked.answer).toBeNull();
  expect(asked.error?.stage).toBe('protocol');
  expect(asked.error?.message).toContain(message);
});

test('an event after done, and a done that says something else than the tokens, are protocol errors', async () => {
  const good = say('Yes.', [A]);
  const late = await fakeService(() => [...good, good[1]!]);
  expect((await askdocsTarget(late.url).ask('x', idle())).error?.message).toContain('after the end');
  const other = await fakeService(() => [good[0]!, { event: 'token', data: { text: 'No.' } }, good[2]!]);
  expect((await askdocsTarget(other.url).ask('x', idle())).error?.message).toContain('not what the tokens said');
});

test('a resumed run asks only what is missing, even after a line was cut in half', async () => {
  const dir = join(tempDir(), 'run');
  const first = await fakeService(goodReply);
  await answerCases(options(dir, first.url));
  const path = join(dir, 'answers.jsonl');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  writeFileSync(path, `${lines[0]}\n${lines[1]}\n`);
  appendFileSync(path, lines[2]?.slice(0, 40) ?? '');
  const second = await fakeService(goodReply);
  const outcome = await answerCases(options(dir, second.url));
  expect(outcome).toMatchObject({ total: 4, done: 4, asked: 2 });
  expect(second.asked).toHaveLength(2);
  expect(verifyRun(dir)).toEqual([]);
});

test('an aborted run says so, keeps what it has and goes on later', async () => {
  const controller = new AbortController();
  const service = await fakeService(goodReply, { delayMs: 30 });
  const dir = join(tempDir(), 'run');
  const stopped = await answerCases({
    ...options(dir, service.url),
    concurrency: 1,
    signal: controller.signal,
    onProgress: (done, _total, label) => label === 'answering' && done === 2 && controller.abort(),
  });
  expect(stopped).toMatchObject({ done: 2, interrupted: true });
  expect(await answerCases(options(dir, service.url))).toMatchObject({ done: 4, asked: 2, interrupted: false });
});

test('a service that is gone stops the run with a sentence and leaves no record', async () => {
  const dir = join(tempDir(), 'run');
  const service = await fakeService(goodReply);
  await service.close();
  await expect(answerCases(options(dir, service.url))).rejects.toThrow('the service is gone');
  expect(readRun(dir)).toMatchObject({ answers: [], retrievals: [] });
});

test('a folder of another run is refused with what differs', async () => {
  const dir = await answeredRun();
  const service = await fakeService(goodReply);
  await expect(answerCases({ ...options(dir, service.url, 2) })).rejects.toThrow(
    '1 repetition(s); choose another folder with --out',
  );
});

test('repetitions are shuffled, each in its own order, the same for the same seed', () => {
  const cases = Array.from({ length: 12 }, (_, index) => makeCase({ id: `c${index}` }));
  const plan = schedule(cases, manifestOf(cases, 2));
  const first = plan.slice(0, 12).map((item) => item.case_id);
  const second = plan.slice(12).map((item) => item.case_id);
  expect(new Set(first).size).toBe(12);
  expect(first).not.toEqual(cases.map((item) => item.id));
  expect(first).not.toEqual(second);
  expect(schedule(cases, manifestOf(cases, 2))).toEqual(plan);
  expect(schedule(cases, manifestOf(cases)).map((item) => item.case_id)).toEqual(cases.map((item) => item.id));
});
