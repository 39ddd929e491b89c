/** The spans of an answer, as a collector receives them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from './config.ts';
import type { Answer } from './contract.ts';
import { silentLogger } from './log.ts';
import { type Service, startService } from './serve.ts';
import {
  answers,
  chunkText,
  fails,
  type LlmStandIn,
  llmStandIn,
  raw,
  type Script,
  startStream,
} from './testing/llm-stand-in.ts';
import { type OtlpReceiver, otlpReceiver, type ReceivedSpan } from './testing/otlp-receiver.ts';
import { standInCommand } from './testing/retrieval.ts';
import { post } from './testing/service.ts';

const QUESTION = { question: 'What is the default of bodyLimit?' };
const folder = mkdtempSync(join(tmpdir(), 'askdocs-otel-'));
const callLog = join(folder, 'calls');
let collector: OtlpReceiver;
let llm: LlmStandIn | undefined;
let service: Service | undefined;
beforeEach(async () => {
  collector = await otlpReceiver();
});
afterEach(async () => {
  await service?.close();
  await llm?.close();
  await collector.close();
  rmSync(callLog, { force: true });
});

async function start(script: Script, env: Record<string, string> = {}, mode = 'typed'): Promise<Service> {
  llm = await llmStandIn(script);
  const command = standInCommand(mode, callLog)
    .map((word) => `"${word}"`)
    .join(' ');
  service = await startService(
    loadConfig({
      ASKDOCS_PORT: '0',
      ASKDOCS_MCP_COMMAND: command,
      ASKDOCS_LLM_PROVIDER: 'llamacpp',
      ASKDOCS_LLM_BASE_URL: llm.url,
      ASKDOCS_LLM_MAX_RETRIES: '0',
      ASKDOCS_LLM_MODEL: 'tiny',
      ASKDOCS_OTEL_ENDPOINT: collector.url,
      ASKDOCS_OTEL_SERVICE_NAME: 'docs-bot',
      ...env,
    }),
    { log: silentLogger },
  );
  return service;
}

const ask = async (headers: Record<string, string> = {}) =>
  (await post(`${service?.url}/ask?stream=false`, QUESTION, {
    headers: { 'content-type': 'application/json', ...headers },
  }).then((response) => response.json())) as { data: Answer | null; error: { trace_id: string } | null };

/** Ends the service, which sends what is left. */
async function spans(): Promise<Record<string, ReceivedSpan>> {
  await service?.close();
  expect(new Set(collector.spans.map((span) => span.name)).size).toBe(collector.spans.length);
  return Object.fromEntries(collector.spans.map((span) => [span.name, span]));
}
const tree = (all: Record<string, ReceivedSpan>) =>
  Object.fromEntries(
    Object.values(all).map((span) => [
      span.name,
      Object.values(all).find((other) => other.spanId === span.parentSpanId)?.name ?? null,
    ]),
  );

describe('an answer', () => {
  it('is one tree of spans under its trace id', async () => {
    await start(answers(['It is ', '1 MiB. [1]']));
    const { data } = await ask();
    const all = await spans();
    expect(tree(all)).toEqual({
      'POST /ask': null,
      'askdocs.answer': 'POST /ask',
      retrieval: 'askdocs.answer',
      'tools/call crag_search': 'retrieval',
      generation: 'askdocs.answer',
    });
    for (const span of Object.values(all)) {
      expect(span.traceId).toBe(data?.trace_id);
      expect(span.service).toBe('docs-bot');
      expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true);
    }
    expect(all['POST /ask']?.kind).toBe(2);
    const ms = (name: string) =>
      Number(BigInt(all[name]!.endTimeUnixNano) - BigInt(all[name]!.startTimeUnixNano)) / 1e6;
    // From the arrival on; its end comes after the quotes were looked up, which total_ms does not count.
    expect(ms('POST /ask')).toBeGreaterThan(data!.timings.total_ms - 1);
    expect(ms('POST /ask')).toBeLessThan(data!.timings.total_ms + 1000);
  });

  it('carries the conventions of generative AI, the first token and the outcome', async () => {
    await start(answers(['It is ', '1 MiB. [1][9]']));
    await ask({ 'x-request-id': 'req-7' });
    const all = await spans();
    expect(all.generation?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'llamacpp',
      'gen_ai.request.model': 'tiny',
      'gen_ai.request.max_tokens': 512,
      'gen_ai.request.temperature': 0,
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 7,
      'gen_ai.usage.cache_read.input_tokens': 90,
    });
    expect(all.generation?.events.map((event) => event.name)).toEqual(['first_token']);
    expect(all['askdocs.answer']?.attributes).toEqual({
      'askdocs.outcome': 'answer',
      'askdocs.truncated': false,
      'askdocs.citations': 1,
      'askdocs.invalid_citations': 1,
      'askdocs.cost_usd': 0,
    });
    expect(all.retrieval?.attributes).toMatchObject({ 'askdocs.k': 5, 'askdocs.passages': 3 });
    expect(all['tools/call crag_search']?.attributes).toMatchObject({ 'mcp.method.name': 'tools/call' });
    expect(all['POST /ask']?.attributes).toMatchObject({ 'http.route': '/ask', 'askdocs.request_id': 'req-7' });
  });

  it('passes its context on into the search server, as MCP has it', async () => {
    await start(answers(['Yes. [1]']));
    await ask();
    const call = (await spans())['tools/call crag_search'];
    const seen = readFileSync(callLog, 'utf8').split('\n');
    expect(seen).toContain(`traceparent 00-${call?.traceId}-${call?.spanId}-01`);
  });

  it('goes on with the trace of its caller', async () => {
    await start(answers(['Yes. [1]']));
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const { data } = await ask({ traceparent: `00-${traceId}-b7ad6b7169203331-01` });
    expect(data?.trace_id).toBe(traceId);
    expect((await spans())['POST /ask']).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' });
  });

  it('is traced over the other APIs too', async () => {
    await start(answers(['Yes. [1]']));
    const messages = [{ role: 'user', content: QUESTION.question }];
    await (await post(`${service?.url}/v1/chat/completions`, { messages, stream: true })).text();
    expect(Object.keys(await spans())).toContain('POST /v1/chat/completions');
  });

  it('refused by the gate has no generation', async () => {
    await start(answers(['never']), {}, 'gated');
    await ask();
    const all = await spans();
    expect(Object.keys(all).sort()).toEqual(['POST /ask', 'askdocs.answer', 'retrieval', 'tools/call crag_search']);
    expect(all['askdocs.answer']?.attributes['askdocs.outcome']).toBe('refusal_gate');
  });
});

describe('no question, document or answer', () => {
  const secrets = /bodyLimit|1048576|MiB/;

  it('is in the spans, of failures neither', async () => {
    await start(raw([chunkText('It is 1 MiB')], 'cut'));
    await ask();
    await spans();
    expect(collector.text()).not.toMatch(secrets);
    expect(collector.text()).toContain('generation_failed');
  });

  it('unless asked for', async () => {
    await start(answers(['It is 1 MiB. [1]']), { ASKDOCS_OTEL_CONTENT: 'true' });
    await ask();
    const { attributes } = (await spans()).generation!;
    const input = JSON.parse(String(attributes['gen_ai.input.messages']));
    expect(input.at(-1)).toMatchObject({ role: 'user', parts: [{ type: 'text' }] });
    expect(JSON.stringify(input)).toContain('1048576');
    expect(JSON.parse(String(attributes['gen_ai.output.messages']))).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'It is 1 MiB. [1]' }] },
    ]);
  });
});

describe('failures', () => {
  it('of the model are errors of its span and of those above it', async () => {
    await start(fails(500));
    const { error } = await ask();
    const all = await spans();
    for (const name of ['generation', 'askdocs.answer', 'POST /ask']) {
      expect(all[name]).toMatchObject({ traceId: error?.trace_id, status: { code: 2 } });
      expect(all[name]?.attributes['error.type']).toBe('generation_failed');
      expect(all[name]?.events.map((event) => event.name)).toContain('exception');
    }
    expect(all.retrieval?.status.code ?? 0).toBe(0);
  });

  it('of the retrieval are errors of the call', async () => {
    await start(answers(['x']), {}, 'iserror');
    await ask();
    const all = await spans();
    expect(all.retrieval?.attributes['error.type']).toBe('retrieval_failed');
    expect(all).not.toHaveProperty('generation');
    expect(collector.text()).not.toContain('secret/path');
  });

  it('a client that left is an outcome, not an error, and every span ends', async () => {
    await start(async (res) => {
      startStream(res);
      while (!res.destroyed) {
        res.write(chunkText('more '));
        await sleep(10);
      }
    });
    const left = new AbortController();
    post(`${service?.url}/ask`, QUESTION, { signal: left.signal }).catch(() => undefined);
    await expect.poll(() => llm?.open()).toBe(1);
    await sleep(50);
    left.abort();
    await expect.poll(() => llm?.open()).toBe(0);
    const all = await spans();
    expect(Object.keys(all)).toHaveLength(5);
    for (const name of ['generation', 'askdocs.answer', 'POST /ask']) {
      expect(all[name]?.attributes['askdocs.outcome']).toBe('cancelled');
      expect(all[name]?.status.code ?? 0).toBe(0);
    }
  });

  it('a question that found no slot is a short trace with its status', async () => {
    await start(() => undefined, { ASKDOCS_MAX_CONCURRENT: '1' });
    const left = new AbortController();
    post(`${service?.url}/ask`, QUESTION, { signal: left.signal }).catch(() => undefined);
    await expect.poll(() => llm?.open()).toBe(1);
    await ask();
    left.abort();
    await expect.poll(() => llm?.open()).toBe(0);
    await service?.close();
    const refused = collector.spans.find((span) => span.attributes['http.response.status_code'] === 503);
    expect(refused).toMatchObject({ name: 'POST /ask', attributes: { 'error.type': 'busy' } });
  });

  it('a collector that is not there costs no answer and delays no end', async () => {
    await start(answers(['Yes. [1]']), { ASKDOCS_OTEL_ENDPOINT: 'http://127.0.0.1:9' });
    expect((await ask()).data?.answer).toBe('Yes. [1]');
    const started = performance.now();
    await service?.close();
    expect(performance.now() - started).toBeLessThan(4000);
  });
});

it('without an endpoint nothing is loaded and nothing sent', async () => {
  await start(answers(['Yes. [1]']), { ASKDOCS_OTEL_ENDPOINT: '' });
  expect((await ask()).data?.trace_id).toMatch(/^[0-9a-f]{32}$/);
  await service?.close();
  expect(collector.text()).toBe('');
  expect(readFileSync(callLog, 'utf8')).not.toContain('traceparent');
});
