/** The service before a real llama.cpp server with the tiny model. Needs python3 with venv, or llama-server in PATH. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, answerSchema, type Health, infoSchema, type Source } from './contract.ts';
import { createLlamaInfo } from './generate/llama-info.ts';
import { buildPrompt, fence } from './prompt.ts';
import type { Service } from './serve.ts';
import { ATTACKS } from './testing/attacks.ts';
import { type LlamaServer, startLlama } from './testing/llama-server.ts';
import { eventsOf, post, standInService } from './testing/service.ts';

const QUESTION = { question: 'What is the default of bodyLimit?' };
let llama: LlamaServer;
let service: Service | undefined;
beforeAll(async () => {
  llama = await startLlama({ slots: 4 });
});
afterAll(() => llama?.stop());
afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function start(env: Record<string, string> = {}, mode = 'typed'): Promise<Service> {
  service = await standInService({
    mode,
    env: {
      ASKDOCS_LLM_PROVIDER: 'llamacpp',
      ASKDOCS_LLM_BASE_URL: `${llama.root}/v1`,
      ASKDOCS_LLM_MAX_TOKENS: '40',
      ...env,
    },
  });
  return service;
}
const ask = async ({ url }: Service, body: object = QUESTION) =>
  (await eventsOf(await post(`${url}/ask`, body))).at(-1)!;
const source = (text: string, n = 1): Source => ({
  n,
  used: true,
  source: `file-${n}.md`,
  title: '',
  heading: [],
  text,
  start: null,
  end: null,
  cosine: null,
  bm25: null,
  fusion: null,
});

describe('a real answer', () => {
  it('streams, ends with done, and tells usage and timings', async () => {
    await start();
    const events = await eventsOf(await post(`${service?.url}/ask`, QUESTION));
    expect(events[0]?.event).toBe('sources');
    const done = answerSchema.parse(events.at(-1)?.data);
    expect(done.usage?.prompt_tokens).toBeGreaterThan(200);
    expect(done.usage?.completion_tokens).toBeGreaterThan(0);
    expect(done.answer).toBe(events.flatMap((e) => (e.event === 'token' ? e.data.text : [])).join(''));
  });

  it('finish reason length: truncated', async () => {
    await start({ ASKDOCS_LLM_MAX_TOKENS: '3' });
    expect(await ask(service as Service)).toMatchObject({
      event: 'done',
      data: { truncated: true, usage: { completion_tokens: 3 } },
    });
  });

  it('a repeated question is served from the prefix cache; with cache_prompt off it is not', async () => {
    await start({ ASKDOCS_LLM_MAX_TOKENS: '4' });
    const question = { question: 'Which option sets the largest body of a request?' };
    await ask(service as Service, question);
    const again = ((await ask(service as Service, question)).data as Answer).usage;
    expect((again?.prompt_tokens ?? 0) - (again?.cached_tokens ?? 0)).toBeLessThanOrEqual(
      (again?.prompt_tokens ?? 0) * 0.05,
    );
    await service?.close();
    await start({ ASKDOCS_LLM_MAX_TOKENS: '4', ASKDOCS_LLM_CACHE_PROMPT: 'false' });
    await ask(service as Service, question);
    expect(((await ask(service as Service, question)).data as Answer).usage?.cached_tokens ?? 0).toBe(0);
  });
});

describe('the start', () => {
  it('reads slots and context, and warns when they do not match the settings', async () => {
    await start({ ASKDOCS_MAX_CONCURRENT: '2', ASKDOCS_LLM_MAX_TOKENS: '4000' });
    const { notes } = (await (await fetch(`${service?.url}/healthz`)).json()) as Health;
    expect(notes[0]).toMatch(/MAX_CONCURRENT is 2 and llama.cpp has 4 slots/);
    expect(notes[1]).toMatch(/holds 4096 tokens/);
    expect(infoSchema.parse(await (await fetch(`${service?.url}/info`)).json())).toMatchObject({
      slots: 4,
      context_tokens: 4096,
    });
  });

  it('has nothing to say when they do', async () => {
    await start();
    expect(((await (await fetch(`${service?.url}/healthz`)).json()) as Health).notes).toEqual([]);
  });
});

describe('a prompt larger than the context', () => {
  it('is named as such when nobody counted before (provider openai)', async () => {
    await start({ ASKDOCS_LLM_PROVIDER: 'openai', ASKDOCS_LLM_MODEL: 'tiny' }, 'huge');
    const started = performance.now();
    expect(await ask(service as Service)).toMatchObject({
      event: 'error',
      data: { code: 'context_overflow', message: expect.stringMatching(/\d+ tokens, and 4096 fit/) },
    });
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('is counted before with llamacpp: not even one passage fits, and no model is called', async () => {
    await start({}, 'huge');
    const events = await eventsOf(await post(`${service?.url}/ask`, QUESTION));
    expect((events[0]!.data as { sources: Source[] }).sources.map((s) => s.used)).toEqual([false]);
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { stage: 'generation', code: 'context_overflow' } });
  });
});

describe('a client that leaves', () => {
  it.each([
    ['in generation', true, 400],
    ['in generation, JSON', false, 400],
    ['in prefill', true, 40],
    ['in prefill, JSON', false, 40],
  ])('%s: the slot of the server is idle again', async (_name, stream, moment) => {
    await start({ ASKDOCS_LLM_MAX_TOKENS: '2000', ASKDOCS_LLM_CACHE_PROMPT: 'false', ASKDOCS_LLM_TEMPERATURE: '1' });
    const left = new AbortController();
    const asked = post(`${service?.url}/ask?stream=${stream}`, QUESTION, { signal: left.signal }).then((r) => r.text());
    asked.catch(() => undefined);
    await expect.poll(() => llama.busySlots(), { interval: 5, timeout: 5000 }).toBe(1);
    await sleep(moment);
    left.abort();
    // The server looks for closed connections between batches of the prompt only: seconds on a slow processor. That
    // our side closes at once is measured in cancellation.test.ts.
    await expect.poll(() => llama.busySlots(), { interval: 10, timeout: 20_000 }).toBe(0);
    await expect
      .poll(async () => ((await (await fetch(`${service?.url}/healthz`)).json()) as Health).in_flight, { timeout: 500 })
      .toBe(0);
  });
});

describe('documents and questions that forge structure', () => {
  const secret = new Uint8Array(32).fill(9);
  const post1 = async (path: string, body: object) =>
    (await (
      await fetch(llama.root + path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      })
    ).json()) as { prompt: string; tokens: number[] };
  /** The prompt as the model gets it, and its control tokens in order. */
  const render = async (question: string, sources: Source[]) => {
    const { controlTokens } = await createLlamaInfo(`${llama.root}/v1`).props(new AbortController().signal);
    const { prompt } = await post1('/apply-template', {
      messages: buildPrompt(question, sources, { secret, controlTokens }),
    });
    const { tokens } = await post1('/tokenize', { content: prompt, parse_special: true, add_special: true });
    return { prompt, control: tokens.filter((id) => id < 17) };
  };

  it('the check itself sees a token that was not neutralised', async () => {
    const { tokens } = await post1('/tokenize', { content: 'a<|im_end|>b', parse_special: true });
    expect(tokens.filter((id) => id < 17)).toEqual([2]);
  });

  it('no attack opens a turn or closes a fence', async () => {
    const plain = await render('What is it?', [source('Plain text.')]);
    expect(plain.control.length).toBeGreaterThan(4);
    for (const { document, question } of ATTACKS) {
      const { prompt, control } = await render(question ?? 'What is it?', [
        source(document, 1),
        source('Plain text.', 2),
      ]);
      expect(control).toEqual(plain.control);
      expect(prompt.match(/<\/?passage [0-9a-f]{16}>/g)).toHaveLength(4);
      expect(prompt.split(`</passage ${fence(secret, 'file-1.md', document)}>`)).toHaveLength(2);
      expect(prompt.match(/^\[\d+\] /gm)).toEqual(['[1] ', '[2] ']);
    }
  });
});
