/**
 * The stand-in does what the real server does: the same requests to both, the same order of events and the same accounts.
 * Times are compared as orders, not as lengths: the real ones are those of this machine.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LlamaServer, startLlama } from '../service/testing/llama-server.ts';
import { complete, describeLlama, probePrompt } from './llama.ts';
import { startStandIn } from './stand-in/server.ts';

const SLOTS = 2;
const CHARS = 800;

interface Server {
  root: string;
  stop(): Promise<void>;
}

async function standIn(): Promise<Server> {
  const { url, close } = await startStandIn({ slots: SLOTS, context: 2048, answerTokens: 1000 });
  return { root: url.replace('/v1', ''), stop: close };
}

async function real(): Promise<Server> {
  const server: LlamaServer = await startLlama({ slots: SLOTS, context: 2048 });
  return { root: server.root, stop: () => server.stop() };
}

describe.each([
  ['the stand-in', standIn],
  ['the real server', real],
])('%s', (_name, start) => {
  let server: Server;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server?.stop());

  it('says how many slots it has', async () => {
    expect(await describeLlama(server.root)).toMatchObject({ slots: SLOTS, context: 2048 });
  });

  it('streams the role, one event a token, the finish reason, the usage, the end', async () => {
    const { events, predicted } = await complete(server.root, probePrompt(1, 200), 6);
    expect(predicted).toBe(6);
    // A token that is no text yet (half a character) has no event of its own.
    const texts = events.filter((event) => event === 'text').length;
    expect(events).toEqual(['role', ...Array(texts).fill('text'), 'finish:length', 'usage', '[DONE]']);
    expect(texts).toBeGreaterThanOrEqual(4);
  });

  it('sends headers when a slot takes the request, and the first event with the first token', async () => {
    const times = await Promise.all([2, 40, 41].map((n) => clocked(server.root, probePrompt(n, 1200))));
    const inOrder = times.toSorted((x, y) => x.headers - y.headers);
    const [first, , queued] = inOrder as [Clocked, Clocked, Clocked];
    expect(first.headers).toBeLessThan(first.event);
    expect(queued.headers).toBeGreaterThan(Math.min(...inOrder.slice(0, 2).map((one) => one.end)) - 50);
  });

  it('accounts for every prompt token: found in the cache or evaluated, one at least', async () => {
    const prompt = probePrompt(3, CHARS);
    const cold = await complete(server.root, prompt, 4);
    const again = await complete(server.root, prompt, 4);
    const longer = await complete(server.root, `${prompt} And what else is set there?`, 4);
    for (const answer of [cold, again, longer]) expect(answer.cached + answer.evaluated).toBe(answer.promptTokens);
    expect(cold.evaluated / cold.promptTokens).toBeGreaterThan(0.8);
    expect(again.evaluated).toBe(1);
    expect(longer.evaluated).toBeGreaterThan(1);
    expect(longer.evaluated).toBeLessThan(30);
  });

  it('finds a prompt again after its slot was used for others', async () => {
    const prompt = probePrompt(4, CHARS);
    await complete(server.root, prompt, 2);
    for (let i = 0; i < SLOTS + 1; i += 1) await complete(server.root, probePrompt(50 + i, CHARS), 2);
    expect((await complete(server.root, prompt, 2)).evaluated).toBeLessThan(30);
  });

  it('takes what exceeds the slots in order, when a slot is free', async () => {
    const order: number[] = [];
    const first: number[] = [];
    const ends: number[] = [];
    const begun = performance.now();
    const ask = async (i: number) => {
      const sent = performance.now();
      const answer = await complete(server.root, probePrompt(10 + i, 600), 16);
      order.push(i);
      first[i] = sent - begun + answer.firstMs;
      ends[i] = performance.now() - begun;
    };
    const all: Promise<void>[] = [];
    for (let i = 0; i < SLOTS + 2; i += 1) {
      all.push(ask(i));
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    await Promise.all(all);
    expect(order.slice().sort()).toEqual([0, 1, 2, 3]);
    // Nobody beyond the slots has a token before one of the first has ended.
    const freed = Math.min(ends[0] as number, ends[1] as number);
    expect(first[2]).toBeGreaterThan(freed);
    expect(first[3]).toBeGreaterThan(first[2] as number);
  });

  it('gives every slot a token in each step: two answers grow side by side', async () => {
    const prompts = [20, 21].map((n) => probePrompt(n, 400));
    for (const prompt of prompts) await complete(server.root, prompt, 1);
    const asked = prompts.map(async (prompt) => {
      const sent = performance.now();
      const answer = await complete(server.root, prompt, 30);
      return { first: sent + answer.firstMs, end: sent + answer.totalMs };
    });
    const [a, b] = (await Promise.all(asked)) as [Span, Span];
    expect(Math.max(a.first, b.first)).toBeLessThan(Math.min(a.end, b.end));
    // Side by side for most of the time, not one after the other.
    expect(Math.min(a.end, b.end) - Math.max(a.first, b.first)).toBeGreaterThan(0.6 * (a.end - a.first));
  });

  it('frees the slot of a client that leaves in prefill, and keeps nothing of its prompt', async () => {
    const prompt = probePrompt(30, 2400);
    const leaving = new AbortController();
    const gone = complete(server.root, prompt, 200, leaving.signal).catch(() => 'gone');
    await new Promise((resolve) => setTimeout(resolve, 60));
    leaving.abort();
    expect(await gone).toBe('gone');
    await idle(server.root);
    const { predicted } = await complete(server.root, probePrompt(31, 200), 3);
    expect(predicted).toBe(3);
  });

  it('refuses a prompt that does not fit a slot, with both numbers', async () => {
    const response = await fetch(`${server.root}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'one two '.repeat(3000) }], stream: true }),
    });
    const { error } = JSON.parse(await response.text());
    expect(response.status).toBe(400);
    expect(error).toMatchObject({ code: 400, type: 'exceed_context_size_error', n_ctx: 2048 });
    expect(error.n_prompt_tokens).toBeGreaterThan(2048);
  });
});

interface Span {
  first: number;
  end: number;
}

interface Clocked {
  headers: number;
  event: number;
  end: number;
}

/** Ms since the start of the process at which headers, the first event and the end came. */
async function clocked(root: string, prompt: string): Promise<Clocked> {
  const response = await fetch(`${root}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: prompt }], stream: true, max_tokens: 8 }),
  });
  const headers = performance.now();
  let event = 0;
  for await (const part of response.body ?? []) {
    if (!new TextDecoder().decode(part).startsWith(':')) event ||= performance.now();
  }
  return { headers, event, end: performance.now() };
}

async function idle(root: string): Promise<void> {
  for (let i = 0; i < 800; i += 1) {
    const slots = (await (await fetch(`${root}/slots`)).json()) as { is_processing: boolean }[];
    if (slots.every((slot) => !slot.is_processing)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('a slot stayed busy');
}
