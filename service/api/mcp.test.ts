/** The SDK's own client against `/mcp` of the real service. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import { answerSchema, type Health, type Stats, searchResponseSchema, sourceSchema } from '../contract.ts';
import type { Service } from '../serve.ts';
import {
  answers,
  chunkText,
  fails,
  type LlmStandIn,
  llmStandIn,
  type Script,
  startStream,
} from '../testing/llm-stand-in.ts';
import { post, standInService } from '../testing/service.ts';

const QUESTION = 'What is the default of bodyLimit?';
let llm: LlmStandIn | undefined;
let service: Service;
let client: Client;
let transport: StreamableHTTPClientTransport;
afterEach(async () => {
  await client?.close();
  await service?.close();
  await llm?.close();
});

async function start(script: Script, env: Record<string, string> = {}, headers: Record<string, string> = {}) {
  llm = await llmStandIn(script);
  const model = { ASKDOCS_LLM_PROVIDER: 'llamacpp', ASKDOCS_LLM_BASE_URL: llm.url, ASKDOCS_LLM_MAX_RETRIES: '0' };
  service = await standInService({ env: { ...model, ...env } });
  await connect(headers);
}

async function connect(headers: Record<string, string> = {}): Promise<void> {
  transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit: { headers } });
  client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
}

const ask = (options: Parameters<Client['callTool']>[2] = {}, question = QUESTION) =>
  client.callTool({ name: 'ask', arguments: { question } }, undefined, options) as Promise<CallToolResult>;
const textOf = (result: CallToolResult) =>
  result.content.map((item) => (item.type === 'text' ? item.text : '')).join('');
const get = async <T>(path: string) => (await (await fetch(service.url + path)).json()) as T;
const inFlight = async () => (await get<Health>('/healthz')).in_flight;

const endless: Script = async (res) => {
  startStream(res);
  while (!res.destroyed) {
    res.write(chunkText('more '));
    await sleep(10);
  }
};

describe('/mcp', () => {
  it('has the tools ask and search, with the schemas of the HTTP API', async () => {
    await start(answers(['x']));
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(['ask', 'search']);
    expect(tools[0]?.inputSchema).toMatchObject({ required: ['question'], additionalProperties: false });
    expect(tools[0]?.outputSchema?.properties).toHaveProperty('citations');
    expect(client.getServerVersion()?.name).toBe('askdocs');
  });

  it('answers with text, sources and the whole answer as data; the pieces as progress', async () => {
    await start(answers(['It is ', '1 MiB. [1]']));
    const pieces: string[] = [];
    const result = await ask({ onprogress: ({ message }) => pieces.push(message ?? '') });
    expect(textOf(result)).toBe('It is 1 MiB. [1]\n\nSources:\n[1] server.md (Head)');
    const data = answerSchema.extend({ sources: sourceSchema.array() }).parse(result.structuredContent);
    expect(data).toMatchObject({ answer: 'It is 1 MiB. [1]', citations: [1], refused: false });
    expect(data.sources).toHaveLength(3);
    expect(pieces.join('')).toBe('It is 1 MiB. [1]');
  });

  it('searches without a model', async () => {
    await start(answers(['x']));
    const found = (await client.callTool({
      name: 'search',
      arguments: { question: QUESTION, k: 2 },
    })) as CallToolResult;
    expect(searchResponseSchema.parse(found.structuredContent).passages).toHaveLength(2);
    expect(textOf(found)).toMatch(/^1\. server\.md\n/);
    expect(llm?.seen).toHaveLength(0);
  });

  it.each([
    ['an empty question', { question: ' ' }, /must not be empty/],
    ['k of 21', { question: 'x', k: 21 }, /k/],
    ['a field too many', { question: 'x', topk: 1 }, /topk/],
  ])('%s is a result that says what is wrong', async (_name, args, message) => {
    await start(answers(['x']));
    const result = (await client.callTool({ name: 'ask', arguments: args })) as CallToolResult;
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(message);
    expect(llm?.seen).toHaveLength(0);
  });

  it('a failure is a result that says so', async () => {
    await start(fails(500));
    const result = await ask();
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/model/);
    expect((await get<Stats>('/stats')).errors.generation).toBe(1);
  });

  it('all slots taken: told at once, with the time; the slots are those of /ask', async () => {
    await start(() => undefined, { ASKDOCS_MAX_CONCURRENT: '1' });
    const left = new AbortController();
    post(`${service.url}/ask`, { question: QUESTION }, { signal: left.signal }).catch(() => undefined);
    await expect.poll(inFlight).toBe(1);
    const result = await ask();
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/All 1 slots are taken; try again in \d+ s/);
    expect((await get<Stats>('/stats')).rejected).toBe(1);
    left.abort();
  });

  it('a call that the client cancels closes the upstream and frees the slot', async () => {
    await start(endless, { ASKDOCS_LLM_MAX_TOKENS: '5000' });
    const cancel = new AbortController();
    const asked = ask({ signal: cancel.signal }).catch((error: unknown) => error);
    await expect.poll(() => llm?.open()).toBe(1);
    cancel.abort();
    await asked;
    await expect.poll(() => llm?.open()).toBe(0);
    await expect.poll(inFlight).toBe(0);
    expect((await get<Stats>('/stats')).cancelled).toBe(1);
  });

  it('so does a client whose connection is gone', async () => {
    await start(endless, { ASKDOCS_LLM_MAX_TOKENS: '5000' });
    const asked = ask().catch((error: unknown) => error);
    await expect.poll(() => llm?.open()).toBe(1);
    await transport.close();
    await asked;
    await expect.poll(() => llm?.open()).toBe(0);
    await expect.poll(inFlight).toBe(0);
  });

  it('needs a key when there are keys', async () => {
    await expect(start(answers(['Yes. [1]']), { ASKDOCS_API_KEYS: 'key-one-1' })).rejects.toThrow(/key/i);
    await connect({ authorization: 'Bearer key-one-1' });
    expect(textOf(await ask())).toContain('Yes. [1]');
  });

  it('a page of another origin is turned away', async () => {
    await start(answers(['x']));
    const init = {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', origin: 'https://evil.example' },
    };
    expect((await fetch(`${service.url}/mcp`, init)).status).toBe(403);
  });

  it('knows no session of another life, and ends one that is told to', async () => {
    await start(answers(['x']));
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': 'gone',
    };
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await post(`${service.url}/mcp`, list, { headers })).status).toBe(404);
    const id = transport.sessionId!;
    await transport.terminateSession();
    expect((await post(`${service.url}/mcp`, list, { headers: { ...headers, 'mcp-session-id': id } })).status).toBe(
      404,
    );
    expect((await post(`${service.url}/mcp`, list)).status).toBe(422);
  });

  it('has bounds: a body of 300 KB is 413, GET is 405', async () => {
    await start(answers(['x']));
    expect((await post(`${service.url}/mcp`, { x: 'x'.repeat(300 * 1024) })).status).toBe(413);
    const got = await fetch(`${service.url}/mcp`);
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST, DELETE']);
  });
});

it('holds no more than 256 sessions: the one silent the longest begins anew', async () => {
  await start(answers(['x']));
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  for (let i = 0; i < 256; i += 1) {
    const opened = await post(
      `${service.url}/mcp`,
      { jsonrpc: '2.0', id: 0, method: 'initialize', params },
      { headers },
    );
    expect(opened.status).toBe(200);
    await opened.body?.cancel();
  }
  await expect(ask()).rejects.toThrow(/no such session/);
});
