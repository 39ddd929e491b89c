/** The routes over real HTTP: answers, searches, what the service says about itself. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answerSchema,
  askEnvelopeSchema,
  errorBodySchema,
  healthSchema,
  infoSchema,
  REFUSAL_SENTENCE,
  searchEnvelopeSchema,
  sourceSchema,
  statsSchema,
} from './contract.ts';
import type { Service } from './serve.ts';
import { eventsOf, post, standInService } from './testing/service.ts';

const QUESTION = { question: 'What is the default of bodyLimit?' };
let service: Service;
beforeAll(async () => {
  service = await standInService();
});
afterAll(() => service.close());

const failed = async (response: Response) => {
  const body = (await response.json()) as { success: boolean; data: unknown; error: unknown };
  expect(body).toMatchObject({ success: false, data: null });
  return errorBodySchema.parse(body.error);
};

describe('POST /ask', () => {
  it('streams sources, tokens and done', async () => {
    const response = await post(`${service.url}/ask`, QUESTION);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const events = await eventsOf(response);
    expect(events.map((e) => e.event)).toEqual(['sources', ...events.slice(1, -1).map(() => 'token'), 'done']);
    const [first, last] = [events[0]!, events.at(-1)!];
    const sources = sourceSchema.array().parse((first.data as { sources: unknown }).sources);
    expect(sources.map((s) => [s.n, s.source, s.used])).toEqual([
      [1, 'server.md', true],
      [2, 'logging.md', true],
      [3, 'routes.md', true],
    ]);
    const done = answerSchema.parse(last.data);
    expect(events.flatMap((e) => (e.event === 'token' ? e.data.text : [])).join('')).toBe(done.answer);
    expect(done.answer).toContain('1048576 bytes, which is 1 MiB. [1]');
    expect(done).toMatchObject({
      refused: false,
      refusal: null,
      truncated: false,
      invalid_citations: [],
      cost_usd: 0,
      nearest: [],
    });
    expect(done.citations[0]).toBe(1);
    expect(done.timings.ttft_ms).toBeGreaterThanOrEqual(done.timings.retrieval_ms);
    expect(done.timings.total_ms).toBeGreaterThanOrEqual(done.timings.ttft_ms!);
    expect(done.trace_id).toMatch(/^[0-9a-f]{32}$/);
    for (const { citations, start, end, sentence } of done.evidence) {
      expect(done.answer.slice(start, end)).toBe(sentence);
      for (const { n, quote } of citations) {
        expect(sources[n - 1]!.text.slice(quote!.start, quote!.end)).toBe(quote!.text);
        expect(quote!.score).toBeGreaterThan(0.9);
      }
    }
  });

  it('gives one envelope with ?stream=false, the same answer', async () => {
    const response = await post(`${service.url}/ask?stream=false`, QUESTION);
    expect(response.status).toBe(200);
    const { success, data } = askEnvelopeSchema.parse(await response.json());
    const done = (await eventsOf(await post(`${service.url}/ask?stream=true`, QUESTION))).at(-1)!.data as {
      answer: string;
    };
    expect(success && data?.answer).toBe(done.answer);
    expect(data?.sources).toHaveLength(3);
  });

  it('takes k', async () => {
    const { data } = askEnvelopeSchema.parse(
      await (await post(`${service.url}/ask?stream=false`, { ...QUESTION, k: 1 })).json(),
    );
    expect(data?.sources).toHaveLength(1);
  });

  it('refuses when no sentence fits', async () => {
    const distant = await standInService({ mode: 'distant' });
    const response = await post(`${distant.url}/ask?stream=false`, { question: 'Who won the chess olympiad in Baku?' });
    const { data } = askEnvelopeSchema.parse(await response.json());
    expect(data).toMatchObject({
      answer: REFUSAL_SENTENCE,
      refused: true,
      refusal: 'model',
      citations: [],
      evidence: [],
    });
    await distant.close();
  });
});

describe('POST /search', () => {
  it('returns ranked passages without a model', async () => {
    const { data } = searchEnvelopeSchema.parse(await (await post(`${service.url}/search`, QUESTION)).json());
    expect(data).toMatchObject({ ungated: true, mode: 'hybrid' });
    expect(data?.passages.map((p) => p.source)).toEqual(['server.md', 'logging.md', 'routes.md']);
  });

  it('shows what the gate held back, which /ask refuses on', async () => {
    const gated = await standInService({ mode: 'gated' });
    const { data } = searchEnvelopeSchema.parse(
      await (await post(`${gated.url}/search`, { ...QUESTION, k: 2 })).json(),
    );
    expect(data?.passages).toHaveLength(2);
    const answer = askEnvelopeSchema.parse(await (await post(`${gated.url}/ask?stream=false`, QUESTION)).json()).data;
    expect(answer).toMatchObject({
      refused: true,
      refusal: 'gate',
      answer: REFUSAL_SENTENCE,
      sources: [],
      citations: [],
      cost_usd: 0,
    });
    expect(answer?.nearest).toHaveLength(3);
    await gated.close();
  });

  it('says that it cannot look behind the gate of a foreign server', async () => {
    const foreign = await standInService({ mode: 'text' });
    const { data } = searchEnvelopeSchema.parse(await (await post(`${foreign.url}/search`, QUESTION)).json());
    expect(data).toMatchObject({ ungated: false, mode: 'unknown' });
    await foreign.close();
  });

  it('fails with 502 when retrieval fails', async () => {
    const broken = await standInService({ mode: 'iserror' });
    const response = await post(`${broken.url}/search`, QUESTION);
    expect(response.status).toBe(502);
    expect(await failed(response)).toMatchObject({ code: 'retrieval_failed', stage: 'retrieval' });
    await broken.close();
  });
});

describe('retrieval that fails under /ask', () => {
  it('is an error event, or 502 with an envelope; details stay inside', async () => {
    const broken = await standInService({ mode: 'iserror' });
    const events = await eventsOf(await post(`${broken.url}/ask`, QUESTION));
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ event: 'error', data: { stage: 'retrieval', code: 'retrieval_failed' } });
    expect(JSON.stringify(events)).not.toContain('secret');
    const response = await post(`${broken.url}/ask?stream=false`, QUESTION);
    expect(response.status).toBe(502);
    expect(await failed(response)).toMatchObject({ stage: 'retrieval', trace_id: expect.any(String) });
    expect(healthSchema.parse(await (await fetch(`${broken.url}/healthz`)).json())).toMatchObject({
      status: 'degraded',
    });
    await broken.close();
  });
});

describe('a limit of one', () => {
  it('a second answer at the same time gets 503 with Retry-After at once, /healthz does not wait', async () => {
    const one = await standInService({ mode: 'slow:700', env: { ASKDOCS_MAX_CONCURRENT: '1' } });
    const first = post(`${one.url}/ask?stream=false`, QUESTION);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const started = performance.now();
    const second = await post(`${one.url}/ask`, QUESTION);
    expect(performance.now() - started).toBeLessThan(300);
    expect(second.status).toBe(503);
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await failed(second)).toMatchObject({ code: 'busy' });
    expect(healthSchema.parse(await (await fetch(`${one.url}/healthz`)).json())).toMatchObject({
      in_flight: 1,
      max_concurrent: 1,
    });
    expect((await first).status).toBe(200);
    expect((await post(`${one.url}/ask?stream=false`, QUESTION)).status).toBe(200);
    expect(statsSchema.parse(await (await fetch(`${one.url}/stats`)).json())).toMatchObject({
      answers: 2,
      rejected: 1,
    });
    await one.close();
  });
});

describe('what the service says about itself', () => {
  it('/healthz, /readyz, /stats and /info have the shapes of the contract', async () => {
    const get = async (path: string) => (await fetch(service.url + path)).json();
    expect(healthSchema.parse(await get('/healthz'))).toMatchObject({
      status: 'ok',
      provider: 'extractive',
      search: 'hybrid',
      in_flight: 0,
      notes: [],
    });
    expect(await get('/readyz')).toEqual({ ready: true, problems: [] });
    expect(statsSchema.parse(await get('/stats')).answers).toBeGreaterThan(3);
    const info = infoSchema.parse(await get('/info'));
    expect(info).toMatchObject({
      provider: 'extractive',
      retrieval: { top_k: 5, built_in: false, mode: 'hybrid', stats: { chunks: '3' } },
    });
    expect(info.retrieval.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  });
});
