/** Every stream ends with exactly one `done` or `error`, whatever the model's server does. Over real HTTP on both sides. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  type AskEvent,
  answerSchema,
  type ErrorEvent,
  errorEventSchema,
  REFUSAL_SENTENCE,
} from './contract.ts';
import type { Service } from './serve.ts';
import {
  answers,
  chunkText,
  doneText,
  fails,
  type LlmStandIn,
  llmStandIn,
  raw,
  type Script,
  startStream,
  usageText,
} from './testing/llm-stand-in.ts';
import { eventsOf, post, standInService } from './testing/service.ts';

const QUESTION = { question: 'What is the default of bodyLimit?' };
let llm: LlmStandIn | undefined;
let service: Service | undefined;
afterEach(async () => {
  await service?.close();
  await llm?.close();
  service = undefined;
  llm = undefined;
});

async function start(scripts: Script | Script[], env: Record<string, string> = {}, props?: object): Promise<Service> {
  llm = await llmStandIn(scripts, props);
  service = await standInService({
    env: {
      ASKDOCS_LLM_PROVIDER: 'llamacpp',
      ASKDOCS_LLM_BASE_URL: llm.url,
      ASKDOCS_LLM_READ_TIMEOUT_S: '0.4',
      ASKDOCS_WARMUP: 'false',
      ...env,
    },
  });
  return service;
}

/** Asks, checks that the stream is well formed, and returns its last event. */
async function askOnce({
  url,
}: Service): Promise<{ events: AskEvent[]; done?: Answer; error?: ErrorEvent; text: string }> {
  const events = await eventsOf(await post(`${url}/ask`, QUESTION));
  const ends = events.filter(({ event }) => event === 'done' || event === 'error');
  expect(ends).toHaveLength(1);
  const last = events.at(-1);
  expect(last).toBe(ends[0]);
  expect(events[0]?.event).toBe('sources');
  const text = events.flatMap((e) => (e.event === 'token' ? e.data.text : [])).join('');
  if (last?.event === 'done') return { events, done: answerSchema.parse(last.data), text };
  const error = errorEventSchema.parse(last?.data);
  expect(error.partial ?? '').toBe(text);
  return { events, error, text };
}

const GOOD = ['The default ', 'is 1 MiB', ' [1].'];
const ANSWER = GOOD.join('');

describe('a good answer', () => {
  it('is passed on piece by piece, with usage, cached tokens, cost and evidence', async () => {
    await start(answers(GOOD), { ASKDOCS_LLM_PRICE_INPUT_PER_MTOK: '2', ASKDOCS_LLM_PRICE_OUTPUT_PER_MTOK: '10' });
    const { done, events } = await askOnce(service!);
    expect(events.filter((e) => e.event === 'token').map((e) => e.data)).toEqual(GOOD.map((text) => ({ text })));
    expect(done).toMatchObject({
      answer: ANSWER,
      citations: [1],
      truncated: false,
      usage: { prompt_tokens: 100, completion_tokens: 7, cached_tokens: 90 },
    });
    expect(done?.cost_usd).toBeCloseTo((100 * 2 + 7 * 10) / 1e6, 12);
    expect(done?.evidence[0]?.citations[0]?.quote?.text).toContain('The default is 1048576 bytes');
  });

  it('was asked for as configured', async () => {
    await start(answers(GOOD), {
      ASKDOCS_LLM_MODEL: 'm',
      ASKDOCS_LLM_MAX_TOKENS: '99',
      ASKDOCS_LLM_TEMPERATURE: '0.5',
      ASKDOCS_LLM_CACHE_PROMPT: 'false',
      ASKDOCS_LLM_API_KEY: 'k',
    });
    await askOnce(service!);
    expect(llm?.seen[0]?.body).toMatchObject({
      model: 'm',
      max_tokens: 99,
      temperature: 0.5,
      cache_prompt: false,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(llm?.seen[0]?.headers.authorization).toBe('Bearer k');
  });

  it('openai is not sent what only llama.cpp knows', async () => {
    await start(answers(GOOD), { ASKDOCS_LLM_PROVIDER: 'openai', ASKDOCS_LLM_MODEL: 'm' });
    expect((await askOnce(service!)).done?.answer).toBe(ANSWER);
    expect(llm?.seen[0]?.body).not.toHaveProperty('cache_prompt');
  });

  it('a refusal is one; a refusal with an answer behind it is none', async () => {
    await start([answers([`"${REFUSAL_SENTENCE}"`, '\n']), answers([REFUSAL_SENTENCE, ' But ', ANSWER])]);
    expect((await askOnce(service!)).done).toMatchObject({ refused: true, refusal: 'model', evidence: [] });
    expect((await askOnce(service!)).done).toMatchObject({ refused: false, refusal: null, citations: [1] });
  });

  it('citations out of range, uncited sentences', async () => {
    await start(answers(['It is 1 MiB [1][9]. It is old.']));
    expect((await askOnce(service!)).done).toMatchObject({
      citations: [1],
      invalid_citations: [9],
      evidence: [{ citations: [{ n: 1 }] }, { citations: [] }],
    });
  });

  it('finish reason length: truncated', async () => {
    await start(answers(GOOD, { finish: 'length' }));
    expect((await askOnce(service!)).done).toMatchObject({ truncated: true, answer: ANSWER });
  });

  it('a usage chunk that never comes: usage and cost are unknown', async () => {
    await start(answers(GOOD, { usage: false }));
    expect((await askOnce(service!)).done).toMatchObject({ answer: ANSWER, usage: null, cost_usd: null });
  });

  it('chunks cut inside a character and inside a line', async () => {
    const bytes = Buffer.from(
      `${chunkText('Größe 🙂 ')}${chunkText('世界 [1].')}${chunkText(null, 'stop')}${usageText}${doneText}`,
    );
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) => bytes.subarray(i * 7, i * 7 + 7));
    await start(raw(pieces, 'end', 1));
    expect((await askOnce(service!)).done?.answer).toBe('Größe 🙂 世界 [1].');
  });

  it('pings between and before the pieces, and CRLF', async () => {
    const pings = [
      ': ping\n\n',
      ': ping\n\n',
      chunkText('Yes').replaceAll('\n', '\r\n'),
      ': ping\n\n',
      chunkText(' [1].'),
      ': ping\n\n',
      chunkText(null, 'stop'),
      doneText,
    ];
    await start(raw(pings, 'end', 250));
    expect((await askOnce(service!)).done?.answer).toBe('Yes [1].');
  });

  it('[DONE] without a finish reason, and a finish reason without [DONE], are whole', async () => {
    await start([raw([chunkText(ANSWER), doneText]), raw([chunkText(ANSWER), chunkText(null, 'stop')])]);
    expect((await askOnce(service!)).done?.answer).toBe(ANSWER);
    expect((await askOnce(service!)).done?.answer).toBe(ANSWER);
  });

  it('a server that does not close after [DONE]', async () => {
    await start(raw([chunkText(ANSWER), chunkText(null, 'stop'), doneText], 'hang'));
    expect((await askOnce(service!)).done?.answer).toBe(ANSWER);
  });

  it('a model that never stops is stopped', async () => {
    const endless: Script = async (res) => {
      startStream(res);
      while (!res.destroyed) {
        res.write(chunkText('more '));
        await sleep(1);
      }
    };
    await start(endless, { ASKDOCS_LLM_MAX_TOKENS: '20' });
    const { done } = await askOnce(service!);
    expect(done).toMatchObject({ truncated: true, usage: null });
    expect(done?.answer.match(/more/g)?.length).toBeLessThan(60);
    await expect.poll(() => llm?.open()).toBe(0);
  });
});

describe('a fault in the middle: an error with what was sent, never a short answer, never tried again', () => {
  it.each<[string, Script, string, RegExp]>([
    [
      'EOF without finish reason or [DONE]',
      raw([chunkText('The default ')]),
      'generation_failed',
      /ended before the answer was whole/,
    ],
    ['a cut connection', raw([chunkText('The default ')], 'cut', 20), 'generation_failed', /./],
    [
      'an error chunk',
      raw([chunkText('The default '), 'data: {"error":{"code":500,"message":"secret","type":"server_error"}}\n\n']),
      'generation_failed',
      /in the middle/,
    ],
    [
      'an error line of older builds',
      raw([chunkText('The default '), 'error: {"code":500,"message":"secret"}\n\n']),
      'generation_failed',
      /in the middle/,
    ],
    [
      'malformed JSON',
      raw([chunkText('The default '), 'data: {"choices": [\n\n', doneText]),
      'generation_failed',
      /not JSON/,
    ],
    ['a stall', raw([chunkText('The default ')], 'hang'), 'timeout', /silent for 0.4 s/],
    [
      'a content filter',
      raw([chunkText('The default '), chunkText(null, 'content_filter'), doneText]),
      'generation_failed',
      /content filter/,
    ],
  ])('%s', async (_name, script, code, message) => {
    await start(script);
    const { error, text } = await askOnce(service!);
    expect(error).toMatchObject({ stage: 'generation', code, partial: 'The default ' });
    expect(error?.message).toMatch(message);
    expect(JSON.stringify(error)).not.toContain('secret');
    expect(text).toBe('The default ');
    expect(llm?.seen).toHaveLength(1);
    await expect.poll(() => llm?.open()).toBe(0);
  });
});

describe('a fault before the first token: tried again, at most as often as configured', () => {
  it.each<[string, Script]>([
    ['503 while loading', fails(503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } })],
    ['500', fails(500)],
    ['429', fails(429)],
    ['502 in HTML', (res) => void res.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')],
    ['a reset connection', (res) => void res.destroy()],
    ['an early error chunk', raw(['data: {"error":{"message":"busy"}}\n\n'])],
    ['an early end', raw([': ping\n\n'])],
    ['early rubbish', raw(['data: nonsense\n\n'])],
  ])('%s, once: answered', async (_name, script) => {
    await start([script, answers(GOOD)]);
    expect((await askOnce(service!)).done?.answer).toBe(ANSWER);
    expect(llm?.seen).toHaveLength(2);
  });

  it('500 for ever: one try and the retries, then an error without partial', async () => {
    await start(fails(500), { ASKDOCS_LLM_MAX_RETRIES: '1' });
    const { error } = await askOnce(service!);
    expect(error).toMatchObject({
      stage: 'generation',
      code: 'generation_failed',
      message: expect.stringContaining('status 500'),
    });
    expect(error).not.toHaveProperty('partial');
    expect(llm?.seen).toHaveLength(2);
  });

  it('waits longer each time', async () => {
    await start(fails(500));
    await askOnce(service!);
    const [first = 0, second = 0, third = 0] = llm?.seen.map((seen) => seen.at) ?? [];
    expect(second - first).toBeGreaterThanOrEqual(120);
    expect(third - second).toBeGreaterThanOrEqual(245);
  });

  it('honours Retry-After', async () => {
    await start([fails(429, {}, { 'retry-after': '1' }), answers(GOOD)]);
    expect((await askOnce(service!)).done?.answer).toBe(ANSWER);
    const [first = 0, second = 0] = llm?.seen.map((seen) => seen.at) ?? [];
    expect(second - first).toBeGreaterThanOrEqual(990);
  });

  it('does not wait for a Retry-After of an hour', async () => {
    await start(fails(503, {}, { 'retry-after': '3600' }));
    expect((await askOnce(service!)).error?.message).toContain('503');
    expect(llm?.seen).toHaveLength(1);
  });

  it('a refused connection is an error', async () => {
    await start(answers(GOOD), { ASKDOCS_LLM_MAX_RETRIES: '1' });
    await llm?.close();
    expect((await askOnce(service!)).error).toMatchObject({
      code: 'generation_failed',
      message: expect.stringContaining('cannot be reached'),
    });
  });

  it.each([
    ['no headers', (() => undefined) as Script],
    ['no token', raw([], 'hang')],
  ])('silence with %s is a timeout, and is not tried again', async (_name, script) => {
    await start(script);
    expect((await askOnce(service!)).error).toMatchObject({ code: 'timeout' });
    expect(llm?.seen).toHaveLength(1);
  });

  it('pings and nothing else do not go on for ever', async () => {
    const pings: Script = async (res) => {
      startStream(res);
      while (!res.destroyed) {
        res.write(': ping\n\n');
        await sleep(20);
      }
    };
    await start(pings, { ASKDOCS_LLM_READ_TIMEOUT_S: '0.05' });
    expect((await askOnce(service!)).error).toMatchObject({ code: 'timeout' });
  });

  it.each([400, 401, 404])('%d is not tried again', async (status) => {
    await start(fails(status));
    expect((await askOnce(service!)).error?.message).toContain(String(status));
    expect(llm?.seen).toHaveLength(1);
  });

  it.each([
    [
      400,
      {
        error: {
          code: 400,
          type: 'exceed_context_size_error',
          message: 'the request exceeds the available context size',
          n_prompt_tokens: 5000,
          n_ctx: 4096,
        },
      },
    ],
    [
      500,
      { error: { code: 500, type: 'exceed_context_size_error', message: 'x', n_prompt_tokens: 5000, n_ctx: 4096 } },
    ],
  ])('a context overflow as %d is named and not tried again', async (status, body) => {
    await start(fails(status, body));
    const { error } = await askOnce(service!);
    expect(error).toMatchObject({
      code: 'context_overflow',
      message: expect.stringContaining('5000 tokens, and 4096 fit'),
    });
    expect(llm?.seen).toHaveLength(1);
  });

  it('a context overflow as an error chunk is named too', async () => {
    await start(
      raw(['data: {"error":{"type":"exceed_context_size_error","message":"x","n_prompt_tokens":9,"n_ctx":8}}\n\n']),
    );
    expect((await askOnce(service!)).error).toMatchObject({ code: 'context_overflow' });
    expect(llm?.seen).toHaveLength(1);
  });

  it.each([
    ['nothing', answers([])],
    ['white space', answers([' ', '\n'])],
  ])('an empty answer (%s) is an error', async (_name, script) => {
    await start(script);
    expect((await eventsOf(await post(`${service!.url}/ask`, QUESTION))).at(-1)).toMatchObject({
      event: 'error',
      data: { code: 'generation_failed', message: 'The model gave an empty answer.' },
    });
  });
});

describe('in JSON mode', () => {
  it('the same failures are 502 with stage and partial', async () => {
    await start([raw([chunkText('The default ')]), answers(GOOD)]);
    const response = await post(`${service!.url}/ask?stream=false`, QUESTION);
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({
      success: false,
      data: null,
      error: { stage: 'generation', partial: 'The default ' },
    });
    expect((await post(`${service!.url}/ask?stream=false`, QUESTION)).status).toBe(200);
  });
});

describe('a context too small', () => {
  it('drops the lowest ranked passages whole, and says so in sources; the rules stay', async () => {
    const props = { total_slots: 4, default_generation_settings: { n_ctx: 430 } };
    await start(answers(['It is 1 MiB [1]. Off [3].']), { ASKDOCS_LLM_MAX_TOKENS: '50' }, props);
    const { events, done } = await askOnce(service!);
    const sources = (events[0]!.data as { sources: { n: number; used: boolean }[] }).sources;
    expect(sources.map(({ used }) => used)).toEqual([true, false, false]);
    const prompt = llm?.seen[0]?.body.messages?.map((message) => message.content).join('\n') ?? '';
    expect(prompt).toContain('Rules:');
    expect(prompt).toContain('[1] server.md');
    expect(prompt).not.toContain('routes.md');
    expect(done).toMatchObject({ citations: [1], invalid_citations: [3] });
  });

  it('a large one keeps all, and the start compares slots and context with the settings', async () => {
    const props = { total_slots: 2, default_generation_settings: { n_ctx: 1024 } };
    await start(answers(GOOD), { ASKDOCS_WARMUP: 'true' }, props);
    const health = (await (await fetch(`${service!.url}/healthz`)).json()) as { notes: string[] };
    expect(health.notes[0]).toMatch(/MAX_CONCURRENT is 4 and llama.cpp has 2 slots.*set it to 2/);
    expect(health.notes[1]).toMatch(/holds 1024 tokens.*start it with -c/);
    const info = await (await fetch(`${service!.url}/info`)).json();
    expect(info).toMatchObject({ provider: 'llamacpp', slots: 2, context_tokens: 1024 });
  });
});
