import { afterEach, expect, it } from 'vitest';
import { type StandIn, type StandInOptions, startStandIn } from './server.ts';

const FAST = { prefillPerSecond: 1_000_000, stepMs: 1, slotMs: 0 };
let standIn: StandIn | undefined;

afterEach(() => standIn?.close());

async function start(options: StandInOptions = {}): Promise<StandIn> {
  standIn = await startStandIn({ rates: FAST, answerTokens: 8, ...options });
  return standIn;
}

function ask(url: string, content: string, more: object = {}, signal?: AbortSignal): Promise<Response> {
  const body = {
    messages: [{ role: 'user', content }],
    stream: true,
    stream_options: { include_usage: true },
    ...more,
  };
  return fetch(`${url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

const chunksOf = (text: string) =>
  text.split('\n\n').flatMap((block) => (block.startsWith('data: {') ? [JSON.parse(block.slice(6))] : []));

it('streams role, tokens, finish reason, usage and the end, in that order', async () => {
  const { url, log } = await start();
  const text = await (await ask(url, 'What is it?')).text();
  const chunks = chunksOf(text);
  const { usage, timings } = chunks.at(-1);
  expect(chunks[0].choices[0].delta).toEqual({ role: 'assistant', content: null });
  expect(chunks.at(-2).choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' });
  expect(chunks.length).toBe(usage.completion_tokens + 3);
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(usage.prompt_tokens_details.cached_tokens).toBe(0);
  expect(timings.prompt_n + timings.cache_n).toBe(usage.prompt_tokens);
  expect(log()).toMatchObject([{ slot: 0, predicted: usage.completion_tokens, cancelled: false }]);
});

it('says the same to the same prompt, cites, and stops at max_tokens with finish reason length', async () => {
  const { url } = await start();
  const [first, second] = [await (await ask(url, 'Tell me')).text(), await (await ask(url, 'Tell me')).text()];
  const said = (text: string) =>
    chunksOf(text)
      .map((chunk) => chunk.choices[0]?.delta.content ?? '')
      .join('');
  expect(said(first)).toBe(said(second));
  expect(said(first)).toMatch(/\[\d\]\.$/);
  expect(chunksOf(second).at(-1).timings.prompt_n).toBe(1);
  const cut = chunksOf(await (await ask(url, 'Tell me', { max_tokens: 2 })).text());
  expect(cut.at(-2).choices[0].finish_reason).toBe('length');
  expect(cut.at(-1).usage.completion_tokens).toBe(2);
});

it('answers in one piece when no stream is asked for', async () => {
  const { url } = await start();
  const body = JSON.parse(await (await ask(url, 'Tell me', { stream: false })).text());
  expect(body.choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant' } });
  expect(body.usage.completion_tokens).toBeGreaterThan(0);
});

it('frees the slot when the client leaves in prefill, in generation and in the queue', async () => {
  const { url, log } = await start({ slots: 1, rates: { prefillPerSecond: 100, stepMs: 20, slotMs: 0 } });
  const inPrefill = new AbortController();
  const inQueue = new AbortController();
  const first = ask(url, 'x'.repeat(120), {}, inPrefill.signal);
  const second = ask(url, 'y', {}, inQueue.signal);
  await until(() => log().length === 2);
  for (const controller of [inQueue, inPrefill]) controller.abort();
  await Promise.allSettled([first, second]);
  await until(() => log().every((entry) => entry.ended !== null));
  expect(log().map((entry) => [entry.cancelled, entry.firstToken])).toEqual([
    [true, null],
    [true, null],
  ]);
  const leaving = new AbortController();
  const response = await ask(url, 'z', {}, leaving.signal);
  await response.body?.getReader().read();
  leaving.abort();
  await until(() => log()[2]?.ended !== null);
  expect(log()[2]).toMatchObject({ cancelled: true });
  const slots = await (await fetch(url.replace('/v1', '/slots'))).json();
  expect(slots).toMatchObject([{ is_processing: false }]);
});

it('refuses a prompt that does not fit its context as llama.cpp does', async () => {
  const { url } = await start({ context: 64 });
  const response = await ask(url, 'x'.repeat(400));
  expect(response.status).toBe(400);
  expect(JSON.parse(await response.text()).error).toMatchObject({ type: 'exceed_context_size_error', n_ctx: 64 });
});

it('describes itself', async () => {
  const { url } = await start({ slots: 3, context: 1000 });
  const get = async (path: string) => (await fetch(url.replace('/v1', path))).json();
  expect(await get('/props')).toMatchObject({ total_slots: 3, default_generation_settings: { n_ctx: 1000 } });
  expect(await get('/health')).toEqual({ status: 'ok' });
  expect(await get('/slots')).toHaveLength(3);
  expect(await get('/log')).toEqual([]);
  expect(await get('/nothing')).toMatchObject({ error: { code: 404 } });
});

async function until(met: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !met(); i += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(met()).toBe(true);
}
