/** What a stream holds when the model's server does what it should, in however odd a way. Over real HTTP on both sides. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { REFUSAL_SENTENCE } from './contract.ts';
import { answers, chunkText, doneText, raw, type Script, startStream, usageText } from './testing/llm-stand-in.ts';
import { ANSWER, endAfterEach, GOOD, startModelService } from './testing/model-service.ts';

endAfterEach();

describe('a good answer', () => {
  it('is passed on piece by piece, with usage, cached tokens, cost and evidence', async () => {
    const { ask } = await startModelService(answers(GOOD), {
      ASKDOCS_LLM_PRICE_INPUT_PER_MTOK: '2',
      ASKDOCS_LLM_PRICE_OUTPUT_PER_MTOK: '10',
    });
    const { done, events } = await ask();
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
    const { ask, llm } = await startModelService(answers(GOOD), {
      ASKDOCS_LLM_MODEL: 'm',
      ASKDOCS_LLM_MAX_TOKENS: '99',
      ASKDOCS_LLM_TEMPERATURE: '0.5',
      ASKDOCS_LLM_CACHE_PROMPT: 'false',
      ASKDOCS_LLM_API_KEY: 'k',
    });
    await ask();
    expect(llm.seen[0]?.body).toMatchObject({
      model: 'm',
      max_tokens: 99,
      temperature: 0.5,
      cache_prompt: false,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(llm.seen[0]?.headers.authorization).toBe('Bearer k');
  });

  it('openai is not sent what only llama.cpp knows', async () => {
    const { ask, llm } = await startModelService(answers(GOOD), {
      ASKDOCS_LLM_PROVIDER: 'openai',
      ASKDOCS_LLM_MODEL: 'm',
    });
    expect((await ask()).done?.answer).toBe(ANSWER);
    expect(llm.seen[0]?.body).not.toHaveProperty('cache_prompt');
  });

  it('a refusal is one; a refusal with an answer behind it is none', async () => {
    const { ask } = await startModelService([
      answers([`"${REFUSAL_SENTENCE}"`, '\n']),
      answers([REFUSAL_SENTENCE, ' But ', ANSWER]),
    ]);
    expect((await ask()).done).toMatchObject({ refused: true, refusal: 'model', evidence: [] });
    expect((await ask()).done).toMatchObject({ refused: false, refusal: null, citations: [1] });
  });

  it('citations out of range, uncited sentences', async () => {
    const { ask } = await startModelService(answers(['It is 1 MiB [1][9]. It is old.']));
    expect((await ask()).done).toMatchObject({
      citations: [1],
      invalid_citations: [9],
      evidence: [{ citations: [{ n: 1 }] }, { citations: [] }],
    });
  });

  it('finish reason length: truncated', async () => {
    const { ask } = await startModelService(answers(GOOD, { finish: 'length' }));
    expect((await ask()).done).toMatchObject({ truncated: true, answer: ANSWER });
  });

  it('a usage chunk that never comes: usage and cost are unknown', async () => {
    const { ask } = await startModelService(answers(GOOD, { usage: false }));
    expect((await ask()).done).toMatchObject({ answer: ANSWER, usage: null, cost_usd: null });
  });

  it.each([
    ['nothing', {}],
    ['half', { prompt_tokens: 5 }],
    ['negative', { prompt_tokens: -5, completion_tokens: 3 }],
    ['text', { prompt_tokens: '5', completion_tokens: '3' }],
  ])('a usage that is no count (%s): usage and cost are unknown, and nothing is counted', async (_name, usage) => {
    const chunk = `data: ${JSON.stringify({ choices: [], usage })}\n\n`;
    const { ask, url } = await startModelService(raw([chunkText(ANSWER), chunkText(null, 'stop'), chunk, doneText]), {
      ASKDOCS_LLM_PRICE_INPUT_PER_MTOK: '2',
    });
    expect((await ask()).done).toMatchObject({ answer: ANSWER, usage: null, cost_usd: null });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('\naskdocs_usage_unknown_total 1\n');
    expect(metrics).toContain('\naskdocs_cost_usd_total 0\n');
    expect(metrics).toContain('\naskdocs_tokens_total{type="completion"} 0\n');
  });

  it('chunks cut inside a character and inside a line', async () => {
    const bytes = Buffer.from(
      `${chunkText('Größe 🙂 ')}${chunkText('世界 [1].')}${chunkText(null, 'stop')}${usageText}${doneText}`,
    );
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) => bytes.subarray(i * 7, i * 7 + 7));
    const { ask } = await startModelService(raw(pieces, 'end', 1));
    expect((await ask()).done?.answer).toBe('Größe 🙂 世界 [1].');
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
    const { ask } = await startModelService(raw(pings, 'end', 250));
    expect((await ask()).done?.answer).toBe('Yes [1].');
  });

  it('[DONE] without a finish reason, and a finish reason without [DONE], are whole', async () => {
    const { ask } = await startModelService([
      raw([chunkText(ANSWER), doneText]),
      raw([chunkText(ANSWER), chunkText(null, 'stop')]),
    ]);
    expect((await ask()).done?.answer).toBe(ANSWER);
    expect((await ask()).done?.answer).toBe(ANSWER);
  });

  it('a server that does not close after [DONE]', async () => {
    const { ask } = await startModelService(raw([chunkText(ANSWER), chunkText(null, 'stop'), doneText], 'hang'));
    expect((await ask()).done?.answer).toBe(ANSWER);
  });

  it('chunks that are null, a number, or of another choice', async () => {
    const other = chunkText('other').replace('"index":0', '"index":1');
    const { ask } = await startModelService(
      raw(['data: null\n\n', chunkText('The default '), 'data: 5\n\n', other, chunkText('is 1 MiB [1].', 'stop')]),
    );
    expect((await ask()).done?.answer).toBe(ANSWER);
  });

  it('a model that never stops is stopped', async () => {
    const endless: Script = async (res) => {
      startStream(res);
      while (!res.destroyed) {
        res.write(chunkText('more '));
        await sleep(1);
      }
    };
    const { ask, llm } = await startModelService(endless, { ASKDOCS_LLM_MAX_TOKENS: '20' });
    const { done } = await ask();
    expect(done).toMatchObject({ truncated: true, usage: null });
    expect(done?.answer.match(/more/g)?.length).toBeLessThan(60);
    await expect.poll(() => llm.open()).toBe(0);
  });
});

describe('a context too small', () => {
  it('drops the lowest ranked passages whole, and says so in sources; the rules stay', async () => {
    const props = { total_slots: 4, default_generation_settings: { n_ctx: 430 } };
    const { ask, llm } = await startModelService(
      answers(['It is 1 MiB [1]. Off [3].']),
      { ASKDOCS_LLM_MAX_TOKENS: '50' },
      props,
    );
    const { events, done } = await ask();
    const sources = (events[0]!.data as { sources: { n: number; used: boolean }[] }).sources;
    expect(sources.map(({ used }) => used)).toEqual([true, false, false]);
    const prompt = llm.seen[0]?.body.messages?.map((message) => message.content).join('\n') ?? '';
    expect(prompt).toContain('Rules:');
    expect(prompt).toContain('[1] server.md');
    expect(prompt).not.toContain('routes.md');
    expect(done).toMatchObject({ citations: [1], invalid_citations: [3] });
  });

  it('a large one keeps all, and the start compares slots and context with the settings', async () => {
    const props = { total_slots: 2, default_generation_settings: { n_ctx: 1024 } };
    const { url } = await startModelService(answers(GOOD), { ASKDOCS_WARMUP: 'true' }, props);
    const health = (await (await fetch(`${url}/healthz`)).json()) as { notes: string[] };
    expect(health.notes[0]).toMatch(/MAX_CONCURRENT is 4 and llama.cpp has 2 slots.*set it to 2/);
    expect(health.notes[1]).toMatch(/holds 1024 tokens.*start it with -c/);
    const info = await (await fetch(`${url}/info`)).json();
    expect(info).toMatchObject({ provider: 'llamacpp', slots: 2, context_tokens: 1024 });
  });
});
