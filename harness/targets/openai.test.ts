import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { answerCases } from '../answer.ts';
import { finishRun } from '../finish.ts';
import { judgeRun } from '../judge.ts';
import { lexicalJudge } from '../judges/lexical.ts';
import { CASES, manifestOf, tempDir } from '../testing/fixtures.ts';
import { verifyRun } from '../verify.ts';
import { openAiTarget } from './openai.ts';

type Reply = { status?: number; body: unknown };

async function endpoint(reply: (question: string) => Reply): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: { content: string }[] };
    const { status = 200, body } = reply(messages.at(-1)?.content ?? '');
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const message = (content: string, more: object = {}) => ({
  choices: [{ message: { role: 'assistant', content, ...more }, finish_reason: 'stop' }],
});
const SOURCES = [
  { source: 'docs/a.md', text: 'Alpha is 5.' },
  { filename: 'docs/b.md', content: 'Beta is 7.' },
];
const idle = () => new AbortController().signal;

test('a foreign system is measured like ours, from answer to report', async () => {
  const baseUrl = await endpoint((question) => ({
    body: /\b(one|two)\b/.test(question)
      ? {
          ...message('Alpha is 5 [1]. Beta is 7 [2].'),
          sources: SOURCES,
          usage: { prompt_tokens: 9, completion_tokens: 4 },
        }
      : { ...message('Sorry, that is not in my documents.'), sources: [] },
  }));
  const dir = join(tempDir(), 'run');
  const target = openAiTarget({ baseUrl, model: 'theirs', refusal: /^sorry/i });
  await answerCases({ dir, cases: CASES, manifest: manifestOf(CASES), target, concurrency: 2, signal: idle() });
  await judgeRun({ dir, judge: lexicalJudge(), signal: idle() });
  const { summary } = finishRun(dir);
  const value = (name: string) =>
    summary.metrics.find((metric) => metric.name === name && metric.slice === 'overall')?.value;
  expect(summary.refusals.overall).toEqual({
    answered: 2,
    wrong_refusal: 0,
    correct_refusal: 2,
    wrongly_answered: 0,
    error: 0,
  });
  expect([value('key_fact_recall'), value('context_recall'), value('faithfulness')]).toEqual([1, 1, 1]);
  expect(value('recall@5')).toBeUndefined();
  expect(summary.usage).toMatchObject({ prompt_tokens: 18, with_usage: 2 });
  expect(verifyRun(dir)).toEqual([]);
});

test.each([
  [
    'citations beside the message, as addresses',
    { ...message('x [1]'), citations: ['https://a.example/1'] },
    ['https://a.example/1'],
  ],
  [
    'context of the message',
    message('x [1]', { context: { citations: [{ title: 'T', filepath: 'a.md', content: 'c' }] } }),
    ['a.md'],
  ],
  [
    'search results',
    { ...message('x'), search_results: [{ title: 'T', url: 'https://a.example' }] },
    ['https://a.example'],
  ],
])('sources are read from %s', async (_, body, sources) => {
  const asked = await openAiTarget({ baseUrl: await endpoint(() => ({ body })), model: 'm' }).ask('q', idle());
  expect(asked.sources.map((source) => source.source)).toEqual(sources);
});

test('an answer without sources, another shape and an error are records of an error', async () => {
  const ask = async (reply: Reply) =>
    openAiTarget({ baseUrl: await endpoint(() => reply), model: 'm' }).ask('q', idle());
  expect((await ask({ body: message('x') })).error).toMatchObject({
    stage: 'protocol',
    message: 'the endpoint returned no sources with its answer',
  });
  expect((await ask({ body: { hello: 1 } })).error?.message).toContain('another shape');
  expect((await ask({ status: 500, body: { error: { message: 'boom' } } })).error).toEqual({
    stage: 'generation',
    code: 'http_500',
    message: 'boom',
  });
});
