/** Every stream ends with exactly one `done` or `error`, whatever the model's server does. Over real HTTP on both sides. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { answers, chunkText, doneText, fails, raw, type Script, startStream } from './testing/llm-stand-in.ts';
import { ANSWER, endAfterEach, GOOD, QUESTION, startModelService } from './testing/model-service.ts';
import { eventsOf, post } from './testing/service.ts';

endAfterEach();

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
    const { ask, llm } = await startModelService(script);
    const { error, text } = await ask();
    expect(error).toMatchObject({ stage: 'generation', code, partial: 'The default ' });
    expect(error?.message).toMatch(message);
    expect(JSON.stringify(error)).not.toContain('secret');
    expect(text).toBe('The default ');
    expect(llm.seen).toHaveLength(1);
    await expect.poll(() => llm.open()).toBe(0);
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
    const { ask, llm } = await startModelService([script, answers(GOOD)]);
    expect((await ask()).done?.answer).toBe(ANSWER);
    expect(llm.seen).toHaveLength(2);
  });

  it('500 for ever: one try and the retries, then an error without partial', async () => {
    const { ask, llm } = await startModelService(fails(500), { ASKDOCS_LLM_MAX_RETRIES: '1' });
    const { error } = await ask();
    expect(error).toMatchObject({
      stage: 'generation',
      code: 'generation_failed',
      message: expect.stringContaining('status 500'),
    });
    expect(error).not.toHaveProperty('partial');
    expect(llm.seen).toHaveLength(2);
  });

  it('waits longer each time', async () => {
    const { ask, llm } = await startModelService(fails(500));
    await ask();
    const [first = 0, second = 0, third = 0] = llm.seen.map((seen) => seen.at) ?? [];
    expect(second - first).toBeGreaterThanOrEqual(120);
    expect(third - second).toBeGreaterThanOrEqual(245);
  });

  it('honours Retry-After', async () => {
    const { ask, llm } = await startModelService([fails(429, {}, { 'retry-after': '1' }), answers(GOOD)]);
    expect((await ask()).done?.answer).toBe(ANSWER);
    const [first = 0, second = 0] = llm.seen.map((seen) => seen.at) ?? [];
    expect(second - first).toBeGreaterThanOrEqual(990);
  });

  it('does not wait for a Retry-After of an hour', async () => {
    const { ask, llm } = await startModelService(fails(503, {}, { 'retry-after': '3600' }));
    expect((await ask()).error?.message).toContain('503');
    expect(llm.seen).toHaveLength(1);
  });

  it('a refused connection is an error', async () => {
    const { ask, llm } = await startModelService(answers(GOOD), { ASKDOCS_LLM_MAX_RETRIES: '1' });
    await llm.close();
    expect((await ask()).error).toMatchObject({
      code: 'generation_failed',
      message: expect.stringContaining('cannot be reached'),
    });
  });

  it.each([
    ['no headers', (() => undefined) as Script],
    ['no token', raw([], 'hang')],
  ])('silence with %s is a timeout, and is not tried again', async (_name, script) => {
    const { ask, llm } = await startModelService(script);
    expect((await ask()).error).toMatchObject({ code: 'timeout' });
    expect(llm.seen).toHaveLength(1);
  });

  it('pings and nothing else do not go on for ever', async () => {
    const pings: Script = async (res) => {
      startStream(res);
      while (!res.destroyed) {
        res.write(': ping\n\n');
        await sleep(20);
      }
    };
    const { ask } = await startModelService(pings, { ASKDOCS_LLM_READ_TIMEOUT_S: '0.05' });
    expect((await ask()).error).toMatchObject({ code: 'timeout' });
  });

  it.each([
    ['thinks', { reasoning_content: 'hm ' }],
    ['sends empty pieces', { content: '' }],
    ['sends nothing', undefined],
  ])('a model that %s without end is stopped, and the error says why', async (_name, delta) => {
    const chunk = `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
    const endless: Script = async (res) => {
      startStream(res);
      while (!res.destroyed) {
        res.write(chunk.repeat(50));
        await sleep(1);
      }
    };
    const { url, llm } = await startModelService(endless, { ASKDOCS_LLM_MAX_TOKENS: '20' });
    const last = (await eventsOf(await post(`${url}/ask`, QUESTION))).at(-1);
    expect(last).toMatchObject({ event: 'error', data: { code: 'generation_failed' } });
    expect(JSON.stringify(last)).toContain('raise ASKDOCS_LLM_MAX_TOKENS');
    await expect.poll(() => llm.open()).toBe(0);
  });

  it.each([400, 401, 404])('%d is not tried again', async (status) => {
    const { ask, llm } = await startModelService(fails(status));
    expect((await ask()).error?.message).toContain(String(status));
    expect(llm.seen).toHaveLength(1);
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
    const { ask, llm } = await startModelService(fails(status, body));
    const { error } = await ask();
    expect(error).toMatchObject({
      code: 'context_overflow',
      message: expect.stringContaining('5000 tokens, and 4096 fit'),
    });
    expect(llm.seen).toHaveLength(1);
  });

  it('a context overflow as an error chunk is named too', async () => {
    const { ask, llm } = await startModelService(
      raw(['data: {"error":{"type":"exceed_context_size_error","message":"x","n_prompt_tokens":9,"n_ctx":8}}\n\n']),
    );
    expect((await ask()).error).toMatchObject({ code: 'context_overflow' });
    expect(llm.seen).toHaveLength(1);
  });

  it.each([
    ['nothing', answers([])],
    ['white space', answers([' ', '\n'])],
  ])('an empty answer (%s) is an error', async (_name, script) => {
    const { url } = await startModelService(script);
    expect((await eventsOf(await post(`${url}/ask`, QUESTION))).at(-1)).toMatchObject({
      event: 'error',
      data: { code: 'generation_failed', message: 'The model gave an empty answer.' },
    });
  });
});

describe('in JSON mode', () => {
  it('the same failures are 502 with stage and partial', async () => {
    const { url } = await startModelService([raw([chunkText('The default ')]), answers(GOOD)]);
    const response = await post(`${url}/ask?stream=false`, QUESTION);
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({
      success: false,
      data: null,
      error: { stage: 'generation', partial: 'The default ' },
    });
    expect((await post(`${url}/ask?stream=false`, QUESTION)).status).toBe(200);
  });
});
