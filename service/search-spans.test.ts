/** The spans of the built-in search server, a process of its own, in the trace of the answer that called it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from './config.ts';
import { silentLogger } from './log.ts';
import { openHttp } from './search/embed/http.ts';
import { indexPaths } from './search/ingest/index.ts';
import { DOCS, type Folder, fakeEmbedder, startServer, tempFolder } from './search/testing/fixtures.ts';
import { type Service, startService } from './serve.ts';
import { type OtlpReceiver, otlpReceiver, type ReceivedSpan } from './testing/otlp-receiver.ts';
import { post } from './testing/service.ts';

const QUESTION = { question: 'What is the maximum payload in bytes that the server accepts?' };
const vectors = fakeEmbedder();
const embedder = createServer(async (req, res) => {
  let text = '';
  for await (const chunk of req) text += chunk;
  const { input } = JSON.parse(text) as { input: string[] };
  const embedded = await vectors.embedPassages(input);
  const data = embedded.map((vector, index) => ({ index, embedding: [...vector] }));
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
});
let folder: Folder;
let embedEnv: Record<string, string>;
let collector: OtlpReceiver;
let service: Service | undefined;
beforeAll(async () => {
  await new Promise<void>((resolve) => embedder.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(embedder.address() as AddressInfo).port}/v1`;
  embedEnv = { ASKDOCS_EMBED_URL: url, ASKDOCS_EMBED_MODEL: 'fake' };
  folder = tempFolder(DOCS);
  await indexPaths({ roots: [folder.docs], db: folder.db, embedder: await openHttp({ url, model: 'fake' }) });
});
afterAll(() => {
  embedder.closeAllConnections();
  embedder.close();
  folder.remove();
});
beforeEach(async () => {
  collector = await otlpReceiver();
});
afterEach(async () => {
  await service?.close();
  await collector.close();
});

/** Asks once and ends the service, which ends its child: both send what they have. */
async function spansOf(env: Record<string, string>): Promise<Record<string, ReceivedSpan>> {
  const settings = { ASKDOCS_PORT: '0', ASKDOCS_MCP_DB: folder.db, ASKDOCS_OTEL_SERVICE_NAME: 'docs-bot' };
  service = await startService(loadConfig({ ...settings, ...env }), { log: silentLogger });
  expect((await post(`${service.url}/ask?stream=false`, QUESTION)).status).toBe(200);
  await service.close();
  expect(new Set(collector.spans.map((span) => span.name)).size).toBe(collector.spans.length);
  return Object.fromEntries(collector.spans.map((span) => [span.name, span]));
}
const childrenOf = (spans: Record<string, ReceivedSpan>, name: string) =>
  Object.values(spans)
    .filter((span) => span.parentSpanId === spans[name]?.spanId)
    .map((span) => span.name)
    .sort();

describe('a search that is traced', () => {
  it('by words and by meaning: search > embed, lexical, dense, under the call of the service', async () => {
    const spans = await spansOf({ ...embedEnv, ASKDOCS_OTEL_ENDPOINT: collector.url });
    expect(childrenOf(spans, 'tools/call crag_search')).toEqual(['search']);
    expect(childrenOf(spans, 'search')).toEqual(['dense', 'embed', 'lexical']);
    expect(spans.search).toMatchObject({
      traceId: spans['POST /ask']?.traceId,
      kind: 2,
      service: 'docs-bot-search',
      attributes: { 'askdocs.k': 5, 'askdocs.search_mode': 'hybrid', 'mcp.method.name': 'tools/call' },
    });
    for (const name of ['embed', 'lexical', 'dense']) {
      const { startTimeUnixNano: start, endTimeUnixNano: end } = spans[name]!;
      expect([name, BigInt(start) >= BigInt(spans.search!.startTimeUnixNano)]).toEqual([name, true]);
      expect([name, BigInt(end) <= BigInt(spans.search!.endTimeUnixNano)]).toEqual([name, true]);
      expect([name, BigInt(end) >= BigInt(start)]).toEqual([name, true]);
    }
    expect(collector.text()).not.toMatch(/payload|1048576/);
  });

  it('by words alone: only the steps that were taken', async () => {
    const spans = await spansOf({ ASKDOCS_EMBED_MODEL: 'none', ASKDOCS_OTEL_ENDPOINT: collector.url });
    expect(childrenOf(spans, 'search')).toEqual(['lexical']);
  });

  it('a search that fails is an error of its span, without its text', async () => {
    const changing = tempFolder(DOCS);
    const index = { roots: [changing.docs], db: changing.db };
    await indexPaths({ ...index, embedder: await openHttp({ url: embedEnv.ASKDOCS_EMBED_URL ?? '', model: 'fake' }) });
    const server = await startServer(changing.db, { ...embedEnv, ASKDOCS_OTEL_ENDPOINT: collector.url });
    await indexPaths({ ...index, embedder: fakeEmbedder(), rebuild: true });
    const call = { name: 'crag_search', arguments: { query: 'maximum payload' } };
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expect(await server.client.callTool({ ...call, _meta: { traceparent } })).toMatchObject({ isError: true });
    await server.close();
    changing.remove();
    expect(collector.spans).toMatchObject([
      { name: 'search', traceId: '0af7651916cd43dd8448eb211c80319c', parentSpanId: 'b7ad6b7169203331' },
    ]);
    expect(collector.spans[0]).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'bad_config' } });
    expect(collector.text()).not.toContain('payload');
  });
});

describe('nothing is sent', () => {
  const call = { name: 'crag_search', arguments: { query: 'logging' } };
  const env = { ASKDOCS_EMBED_MODEL: 'none' };

  it('without an endpoint, nor of a call without a trace, nor of one that is not sampled', async () => {
    const silent = await startServer(folder.db, env);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await silent.client.callTool({ ...call, _meta: { traceparent } });
    await silent.close();
    const server = await startServer(folder.db, { ...env, ASKDOCS_OTEL_ENDPOINT: collector.url });
    await server.client.callTool(call);
    await server.client.callTool({ ...call, _meta: { traceparent: 'nonsense' } });
    await server.client.callTool({ ...call, _meta: { traceparent: traceparent.replace(/01$/, '00') } });
    await server.close();
    expect(collector.text()).toBe('');
  });

  it('and a collector that is not there delays neither an answer nor the end', async () => {
    const server = await startServer(folder.db, { ...env, ASKDOCS_OTEL_ENDPOINT: 'http://127.0.0.1:9' });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expect(await server.client.callTool({ ...call, _meta: { traceparent } })).not.toMatchObject({ isError: true });
    const started = performance.now();
    await server.close();
    expect(performance.now() - started).toBeLessThan(1900);
  });
});
