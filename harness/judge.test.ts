import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { finishRun } from './finish.ts';
import { judgeRun } from './judge.ts';
import { lexicalJudge } from './judges/lexical.ts';
import { llmJudge } from './judges/llm.ts';
import { readRun } from './run.ts';
import { fakeModel, type ModelReply } from './testing/fake-model.ts';
import { say } from './testing/fake-service.ts';
import { A, answeredRun, B, CASES, goodReply } from './testing/fixtures.ts';
import { verifyRun } from './verify.ts';

const idle = () => new AbortController().signal;

async function modelJudge(reply: (nth: number) => ModelReply) {
  const model = await fakeModel((_, nth) => reply(nth));
  return { model, judge: llmJudge({ baseUrl: model.baseUrl, model: 'm', secret: 's', backoffMs: 1, concurrency: 1 }) };
}

const faithfulness = (dir: string) =>
  finishRun(dir).summary.metrics.find((metric) => metric.name === 'faithfulness' && metric.slice === 'overall')?.value;

test('a judge that always says yes supports what is cited, and nothing else', async () => {
  const dir = await answeredRun((question, nth) =>
    /\bone\b/.test(question) ? say('Alpha is 5 [1]. Gamma is 9.', [A, B]) : goodReply(question, nth),
  );
  const { judge } = await modelJudge(() => ({ text: 'yes' }));
  expect(await judgeRun({ dir, judge, signal: idle() })).toMatchObject({ total: 3, done: 3, asked: 3, unjudged: 0 });
  expect(faithfulness(dir)).toBe(0.75);
});

test('a judge that returns prose judges nothing: no score, the bounds are 0 and 1', async () => {
  const dir = await answeredRun();
  const { judge } = await modelJudge(() => ({ text: 'It depends' }));
  await judgeRun({ dir, judge, signal: idle() });
  const { summary } = finishRun(dir);
  expect(summary.judging).toEqual([
    { judge: 'llm', model: 'm', expected: 3, judged: 0, unjudged: 3, faithfulness: null, worst: 0, best: 1 },
  ]);
  expect(summary.metrics.find((metric) => metric.name === 'faithfulness')).toMatchObject({ value: null, n: 0 });
  expect(JSON.stringify(summary)).not.toContain('NaN');
  expect(verifyRun(dir)).toEqual([]);
});

test('a judge that fails every third call is asked again, and nothing is left unjudged', async () => {
  const dir = await answeredRun();
  const { judge } = await modelJudge((nth) => (nth % 3 === 0 ? { status: 500, message: 'oops' } : { text: 'yes' }));
  expect(await judgeRun({ dir, judge, signal: idle() })).toMatchObject({ done: 3, unjudged: 0 });
});

test('judging that was cut off goes on: nothing is asked twice and the result is the same to the byte', async () => {
  const dir = await answeredRun();
  const whole = await modelJudge(() => ({ text: 'yes' }));
  await judgeRun({ dir, judge: whole.judge, signal: idle() });
  finishRun(dir);
  const path = join(dir, 'verdicts.jsonl');
  const [verdicts, summary, report] = [path, join(dir, 'summary.json'), join(dir, 'report.md')].map((file) =>
    readFileSync(file, 'utf8'),
  );
  const lines = verdicts?.split('\n') ?? [];
  writeFileSync(path, `${lines[0]}\n${lines[1]?.slice(0, 50)}`);
  const again = await modelJudge(() => ({ text: 'yes' }));
  expect(await judgeRun({ dir, judge: again.judge, signal: idle() })).toMatchObject({ asked: 2, done: 3 });
  expect(again.model.requests).toHaveLength(2);
  finishRun(dir);
  expect(readFileSync(path, 'utf8').split('\n').sort()).toEqual(lines.sort());
  expect(readFileSync(join(dir, 'summary.json'), 'utf8')).toBe(summary);
  expect(readFileSync(join(dir, 'report.md'), 'utf8')).toBe(report);
});

test('the same answer in another repetition is not judged again', async () => {
  const dir = await answeredRun(goodReply, CASES, 3);
  const { judge, model } = await modelJudge(() => ({ text: 'yes' }));
  expect(await judgeRun({ dir, judge, signal: idle() })).toMatchObject({ total: 9, done: 9, asked: 3 });
  expect(model.requests).toHaveLength(3);
  expect(verifyRun(dir)).toEqual([]);
});

test('a judge with another threshold takes the place of the first, and its verdicts are not reused', async () => {
  const dir = await answeredRun();
  const { judge } = await modelJudge(() => ({ text: 'yes' }));
  await judgeRun({ dir, judge, signal: idle() });
  const model = await fakeModel(() => ({ text: 'no' }));
  const other = llmJudge({ baseUrl: model.baseUrl, model: 'm', secret: 's', threshold: 0.9 });
  expect(await judgeRun({ dir, judge: other, signal: idle() })).toMatchObject({ asked: 3 });
  expect(readRun(dir).manifest.judges).toHaveLength(1);
  expect(faithfulness(dir)).toBe(0);
  expect(verifyRun(dir)).toEqual([]);
});

test('two judges stand side by side; the first one gates', async () => {
  const dir = await answeredRun();
  await judgeRun({ dir, judge: lexicalJudge(), signal: idle() });
  const { judge } = await modelJudge(() => ({ text: 'no' }));
  await judgeRun({ dir, judge, signal: idle() });
  const { summary } = finishRun(dir);
  const value = (name: string) =>
    summary.metrics.find((metric) => metric.name === name && metric.slice === 'overall')?.value;
  expect([value('faithfulness'), value('faithfulness@llm')]).toEqual([1, 0]);
  expect(summary.judging.map((item) => item.judge)).toEqual(['lexical', 'llm']);
  expect(verifyRun(dir)).toEqual([]);
});

test('questions on one passage follow each other, so that each finds its prefix cached; passages are judged side by side', async () => {
  const text = 'Alpha is 5 [1]. Alpha is set [1]. Beta is 7 [2]. Beta is never 5 [2].';
  const dir = await answeredRun(() => say(text, [A, B]), CASES.slice(0, 1));
  const open = new Set<string>();
  let most = 0;
  const lexical = lexicalJudge();
  const slow: typeof lexical = {
    ...lexical,
    concurrency: 4,
    judge: async (question, signal) => {
      expect(open.has(question.context), 'two at once on one passage').toBe(false);
      open.add(question.context);
      most = Math.max(most, open.size);
      await new Promise((resolve) => setTimeout(resolve, 20));
      open.delete(question.context);
      return lexical.judge(question, signal);
    },
  };
  expect(await judgeRun({ dir, judge: slow, signal: idle() })).toMatchObject({ asked: 4 });
  expect(most).toBe(2);
});
