/** The log has one line an answer, whatever its outcome, and no question unless asked for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import type { AskEvent } from './contract.ts';
import { createLogger } from './log.ts';
import { observeAnswer } from './observe.ts';
import type { Service } from './serve.ts';
import type { StatsRecorder } from './stats.ts';
import type { AnswerTrace } from './telemetry.ts';
import {
  answers,
  chunkText,
  fails,
  type LlmStandIn,
  llmStandIn,
  type Script,
  startStream,
} from './testing/llm-stand-in.ts';
import { post, standInService } from './testing/service.ts';

const QUESTION = { question: 'What is the secret default of bodyLimit?' };
const lines: Record<string, unknown>[] = [];
let text = '';
const log = createLogger({
  write(line: string) {
    text += line;
    lines.push(JSON.parse(line));
  },
});
let llm: LlmStandIn;
let service: Service;
afterEach(async () => {
  await service.close();
  await llm.close();
  lines.length = 0;
  text = '';
});

async function start(script: Script, env: Record<string, string> = {}, mode = 'typed') {
  llm = await llmStandIn(script);
  const model = { ASKDOCS_LLM_PROVIDER: 'llamacpp', ASKDOCS_LLM_BASE_URL: llm.url, ASKDOCS_LLM_MAX_RETRIES: '0' };
  service = await standInService({ env: { ...model, ...env }, mode, log });
}
const headers = { 'content-type': 'application/json', 'x-request-id': 'req-1' };
const ask = () => post(`${service.url}/ask?stream=false`, QUESTION, { headers });
const answerLines = () => lines.filter((line) => line.message === 'answer');

it('an answer: name, outcome, timings and counts, without the question', async () => {
  await start(answers(['It is 1 MiB. [1][9]']));
  const { data } = (await (await ask()).json()) as { data: { trace_id: string } };
  expect(answerLines()).toEqual([
    {
      time: expect.any(String),
      level: 'info',
      message: 'answer',
      trace_id: data.trace_id,
      request_id: 'req-1',
      route: 'POST /ask',
      outcome: 'answer',
      truncated: false,
      sources: 3,
      citations: 1,
      invalid_citations: 1,
      retrieval_ms: expect.any(Number),
      ttft_ms: expect.any(Number),
      generation_ms: expect.any(Number),
      total_ms: expect.any(Number),
      prompt_tokens: 100,
      completion_tokens: 7,
      cached_tokens: 90,
    },
  ]);
  expect(text).not.toMatch(/secret|MiB/);
});

it('a refusal by the gate', async () => {
  await start(answers(['x']), {}, 'gated');
  await ask();
  expect(answerLines()).toMatchObject([{ outcome: 'refusal_gate', sources: 0 }]);
});

it('a failure: stage, code and the cause, which no client sees', async () => {
  await start(fails(500, { error: { message: 'cuda is on fire', code: 500 } }));
  expect(await (await ask()).text()).not.toContain('fire');
  const failed = {
    level: 'error',
    outcome: 'error',
    stage: 'generation',
    code: 'generation_failed',
    request_id: 'req-1',
  };
  expect(answerLines()).toMatchObject([failed]);
  expect(answerLines()[0]?.cause).toContain('cuda is on fire');
  expect(text).not.toContain('secret');
});

it('a client that left', async () => {
  await start(async (res) => {
    startStream(res);
    while (!res.destroyed) {
      res.write(chunkText('more '));
      await sleep(10);
    }
  });
  const left = new AbortController();
  post(`${service.url}/ask`, QUESTION, { signal: left.signal }).catch(() => undefined);
  await expect.poll(() => llm.open()).toBe(1);
  left.abort();
  await expect.poll(answerLines).toMatchObject([{ level: 'info', outcome: 'cancelled', code: 'cancelled' }]);
});

it('the question is there when asked for', async () => {
  await start(answers(['Yes. [1]']), { ASKDOCS_LOG_QUESTIONS: 'true' });
  await ask();
  expect(answerLines()).toMatchObject([{ question: QUESTION.question }]);
});

it('an answer that cannot be counted reaches its reader all the same, and the log says so', async () => {
  await start(answers(['x']));
  const done = { event: 'done', data: { timings: {}, citations: [], invalid_citations: [] } } as unknown as AskEvent;
  const events = (async function* () {
    yield done;
  })();
  const stats = { done: () => expect.fail('no counter') } as unknown as StatsRecorder;
  const trace = { end: () => undefined } as unknown as AnswerTrace;
  const caller = { route: 'POST /ask', requestId: 'r', left: new AbortController().signal, arrived: 0 };
  const about = { traceId: 't', request: QUESTION, caller, trace, signal: caller.left, cause: () => undefined };
  const seen: AskEvent[] = [];
  for await (const event of observeAnswer(events, { stats, log, logQuestions: false }, about)) seen.push(event);
  expect(seen).toEqual([done]);
  expect(lines).toContainEqual(expect.objectContaining({ message: 'an answer could not be counted', trace_id: 't' }));
});

it('is readable on a terminal', async () => {
  let shown = '';
  const terminal = createLogger({ isTTY: true, write: (line: string) => (shown += line) }, () => new Date(0));
  terminal.info('answer', { outcome: 'answer', total_ms: 12.5 });
  terminal.error('answer', { outcome: 'error', cause: 'Error: no' });
  expect(shown).toBe(
    '00:00:00  answer  outcome=answer  total_ms=12.5\n00:00:00  error: answer  outcome=error  cause=Error: no\n',
  );
  await start(answers(['x']));
});
