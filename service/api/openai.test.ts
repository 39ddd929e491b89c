/** The stock client of the OpenAI API against the real service, over a model's server that misbehaves on cue. */
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI, { APIError } from 'openai';
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { afterEach, describe, expect, it } from 'vitest';
import type { Health, Source } from '../contract.ts';
import type { Service } from '../serve.ts';
import {
  answers,
  chunkText,
  fails,
  type LlmStandIn,
  llmStandIn,
  raw,
  type Script,
  startStream,
} from '../testing/llm-stand-in.ts';
import { post, standInService } from '../testing/service.ts';

type Extended = { askdocs?: { sources: Source[]; citations: number[]; refused: boolean; trace_id: string } };
const QUESTION = 'What is the default of bodyLimit?';
let llm: LlmStandIn | undefined;
let service: Service;
afterEach(async () => {
  await service?.close();
  await llm?.close();
  llm = undefined;
});

async function start(script: Script | Script[], env: Record<string, string> = {}, mode = 'typed'): Promise<OpenAI> {
  llm = await llmStandIn(script);
  const model = { ASKDOCS_LLM_PROVIDER: 'llamacpp', ASKDOCS_LLM_BASE_URL: llm.url, ASKDOCS_LLM_MAX_RETRIES: '0' };
  service = await standInService({ mode, env: { ...model, ...env } });
  return client();
}
const client = (apiKey = 'unused') => new OpenAI({ baseURL: `${service.url}/v1`, apiKey, maxRetries: 0 });
const messages = [
  { role: 'system' as const, content: 'You are a pirate.' },
  { role: 'user' as const, content: 'Earlier question' },
  { role: 'assistant' as const, content: 'Earlier answer' },
  { role: 'user' as const, content: QUESTION },
];
const body = { model: 'askdocs', messages };
const inFlight = async () => ((await (await fetch(`${service.url}/healthz`)).json()) as Health).in_flight;

async function chunksOf(openai: OpenAI, more: object = {}): Promise<(ChatCompletionChunk & Extended)[]> {
  const chunks: ChatCompletionChunk[] = [];
  for await (const chunk of await openai.chat.completions.create({ ...body, stream: true, ...more })) {
    chunks.push(chunk);
  }
  return chunks as (ChatCompletionChunk & Extended)[];
}
const textOf = (chunks: ChatCompletionChunk[]) => chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');

describe('the stock client', () => {
  it('lists the model', async () => {
    const openai = await start(answers(['x']));
    const models = await openai.models.list();
    expect(models.data).toMatchObject([{ id: 'askdocs', object: 'model', owned_by: 'askdocs' }]);
  });

  it('gets a whole answer: the last message is the question, the sources are in the text and in a field', async () => {
    const openai = await start(answers(['It is ', '1 MiB. [1]']));
    const answer = (await openai.chat.completions.create(body)) as OpenAI.ChatCompletion & Extended;
    expect(answer).toMatchObject({ object: 'chat.completion', model: 'askdocs' });
    expect(answer.choices).toHaveLength(1);
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { role: 'assistant', content: 'It is 1 MiB. [1]\n\nSources:\n[1] server.md (Head)' },
    });
    expect(answer.usage).toEqual({
      prompt_tokens: 100,
      completion_tokens: 7,
      total_tokens: 107,
      prompt_tokens_details: { cached_tokens: 90 },
    });
    expect(answer.askdocs).toMatchObject({ citations: [1], refused: false });
    expect(answer.askdocs?.sources.map((source) => source.source)).toEqual(['server.md', 'logging.md', 'routes.md']);
    expect(answer.id).toBe(`chatcmpl-${answer.askdocs?.trace_id}`);
    const sent = llm!.seen[0]!.body.messages!.map((message) => message.content).join('\n');
    expect(sent).toContain(QUESTION);
    expect(sent).not.toMatch(/pirate|Earlier/);
  });

  it('gets the same as a stream, with the usage when it asks', async () => {
    const openai = await start(answers(['It is ', '1 MiB. [1]']));
    const chunks = await chunksOf(openai, { stream_options: { include_usage: true } });
    expect(textOf(chunks)).toBe('It is 1 MiB. [1]\n\nSources:\n[1] server.md (Head)');
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    const ends = chunks.filter((chunk) => chunk.choices[0]?.finish_reason);
    expect(ends.map((chunk) => chunk.choices[0]?.finish_reason)).toEqual(['stop']);
    expect(ends[0]?.askdocs?.sources).toHaveLength(3);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 107 } });
    const without = await chunksOf(openai);
    expect(without.at(-1)?.choices[0]?.finish_reason).toBe('stop');
    expect(without.every((chunk) => chunk.usage === undefined)).toBe(true);
  });

  it('gets the helper of the client to put the pieces together', async () => {
    const openai = await start(answers(['It is ', '1 MiB. [1]']));
    const stream = openai.chat.completions.stream(body);
    expect(await stream.finalContent()).toContain('It is 1 MiB. [1]');
    expect((await stream.finalChatCompletion()).choices[0]?.finish_reason).toBe('stop');
  });

  it('ends with "length" when the limit of tokens cut the answer', async () => {
    const openai = await start(answers(['It is [1]'], { finish: 'length' }));
    expect((await openai.chat.completions.create(body)).choices[0]?.finish_reason).toBe('length');
    expect((await chunksOf(openai)).flatMap((chunk) => chunk.choices[0]?.finish_reason ?? [])).toEqual(['length']);
  });

  it('sees a refusal as an ordinary end, without sources in the text', async () => {
    const openai = await start(answers(['never asked']), {}, 'gated');
    const answer = (await openai.chat.completions.create(body)) as OpenAI.ChatCompletion & Extended;
    expect(answer.choices[0]?.message.content).toBe('I cannot answer this from the documents.');
    expect(answer.askdocs).toMatchObject({ refused: true, sources: [] });
    expect(llm?.seen).toHaveLength(0);
  });

  it('is told when the answer cites nothing', async () => {
    const openai = await start(answers(['It is 1 MiB.']));
    const { content } = (await openai.chat.completions.create(body)).choices[0]!.message;
    expect(content).toContain('Sources (the answer cites none of them):\n[1] server.md (Head)\n[2]');
  });

  it('may send content in parts', async () => {
    const openai = await start(answers(['Yes. [1]']));
    const content = [
      { type: 'text' as const, text: 'What is' },
      { type: 'text' as const, text: 'bodyLimit?' },
    ];
    await openai.chat.completions.create({ model: 'x', messages: [{ role: 'user', content }] });
    expect(llm!.seen[0]!.body.messages!.at(-1)!.content).toContain('What is\nbodyLimit?');
  });
});

describe('failures, as the stock client raises them', () => {
  const caught = async (promise: Promise<unknown>): Promise<APIError> => {
    const error: unknown = await promise.then(
      () => new Error('did not fail'),
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(APIError);
    return error as APIError;
  };

  it('in the middle of a stream: after the tokens, as an error', async () => {
    const openai = await start(raw([chunkText('It is ')], 'cut'));
    let text = '';
    const read = async () => {
      for await (const chunk of await openai.chat.completions.create({ ...body, stream: true })) {
        text += chunk.choices[0]?.delta.content ?? '';
      }
    };
    const error = await caught(read());
    expect(text).toBe('It is ');
    expect(error).toMatchObject({ code: 'generation_failed', type: 'server_error' });
    const wire = await (await post(`${service.url}/v1/chat/completions`, { ...body, stream: true })).text();
    expect(wire).not.toContain('[DONE]');
    expect(wire.match(/"error"/g)).toHaveLength(1);
  });

  it('before the first token, in one piece: 502', async () => {
    const openai = await start(fails(500));
    expect(await caught(openai.chat.completions.create(body))).toMatchObject({
      status: 502,
      code: 'generation_failed',
    });
  });

  it.each([
    ['no message of the user', [{ role: 'system' as const, content: 'x' }], /no message of the user/],
    ['an empty question', [{ role: 'user' as const, content: ' ' }], /must not be empty/],
    ['a long question', [{ role: 'user' as const, content: 'x'.repeat(2001) }], /at most 2000/],
    ['no messages', [], /messages/],
  ])('%s: 422', async (_name, wrong, message) => {
    const openai = await start(answers(['x']));
    const error = await caught(openai.chat.completions.create({ model: 'x', messages: wrong }));
    expect(error).toMatchObject({ status: 422, code: 'bad_input', type: 'invalid_request_error' });
    expect((error as { error?: unknown }).error).not.toHaveProperty('stage');
    expect(error.message).toMatch(message);
  });

  it('more than one choice: 422', async () => {
    const openai = await start(answers(['x']));
    expect(await caught(openai.chat.completions.create({ ...body, n: 2 }))).toMatchObject({ status: 422 });
  });

  it('a conversation of 200 KB is fine, one of 300 KB is 413', async () => {
    const openai = await start(answers(['Yes. [1]']));
    const talk = (kb: number) => ({
      model: 'x',
      messages: [{ role: 'assistant' as const, content: 'x'.repeat(kb * 1024) }, ...messages],
    });
    expect((await openai.chat.completions.create(talk(200))).choices).toHaveLength(1);
    expect(await caught(openai.chat.completions.create(talk(300)))).toMatchObject({ status: 413, code: 'too_large' });
  });

  it('all slots taken: 503 with Retry-After; the slots are those of /ask', async () => {
    const openai = await start(() => undefined, { ASKDOCS_MAX_CONCURRENT: '1' });
    const left = new AbortController();
    post(`${service.url}/ask`, { question: QUESTION }, { signal: left.signal }).catch(() => undefined);
    await expect.poll(inFlight).toBe(1);
    const error = await caught(openai.chat.completions.create({ ...body, stream: true }));
    expect(error).toMatchObject({ status: 503, code: 'busy' });
    expect(Number(error.headers?.get('retry-after'))).toBeGreaterThanOrEqual(1);
    left.abort();
  });
});

describe('a client that leaves', () => {
  const endless: Script = async (res) => {
    startStream(res);
    while (!res.destroyed) {
      res.write(chunkText('more '));
      await sleep(10);
    }
  };

  it.each([true, false])('closes the upstream and frees the slot (stream=%s)', async (stream) => {
    const openai = await start(endless, { ASKDOCS_LLM_MAX_TOKENS: '5000' });
    const left = new AbortController();
    const asked = (async () => {
      const made = await openai.chat.completions.create({ ...body, stream }, { signal: left.signal });
      if (Symbol.asyncIterator in made) for await (const _ of made);
    })().catch(() => undefined);
    await expect.poll(() => llm?.open()).toBe(1);
    left.abort();
    await asked;
    await expect.poll(() => llm?.open()).toBe(0);
    await expect.poll(inFlight).toBe(0);
  });
});
