/** Streams for proxies: padding for HTTP/1.0, heartbeats, and none of it otherwise. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import type { Service } from './serve.ts';
import { chunkText, doneText, type LlmStandIn, llmStandIn, startStream } from './testing/llm-stand-in.ts';
import { standInService } from './testing/service.ts';

let llm: LlmStandIn;
let service: Service;
afterEach(async () => {
  await service.close();
  await llm.close();
});

/** A model that writes two pieces, with silence around them. */
async function start(heartbeatMs = 15_000, silenceMs = 300): Promise<void> {
  llm = await llmStandIn(async (res) => {
    startStream(res);
    for (const text of ['first ', 'second [1]']) {
      await sleep(silenceMs);
      res.write(chunkText(text));
    }
    await sleep(silenceMs);
    res.end(chunkText(null, 'stop') + doneText);
  });
  const env = { ASKDOCS_LLM_PROVIDER: 'llamacpp', ASKDOCS_LLM_BASE_URL: llm.url };
  service = await standInService({ env, limits: { heartbeatMs } });
}

/** Everything that comes over the wire, with the bytes that had come when each event did. */
async function wire(version: '1.0' | '1.1', path = '/ask', body: object = { question: 'What is bodyLimit?' }) {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const text = JSON.stringify(body);
  socket.write(
    `POST ${path} HTTP/${version}\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  );
  let received = '';
  for await (const chunk of socket) received += String(chunk);
  return received;
}
const PADDING = /: {4096}\n\n/g;

it('HTTP/1.0: a page of padding follows each event that is alone, and not the last', async () => {
  await start();
  const received = await wire('1.0');
  expect(received).toMatch(/^HTTP\/1\.[01] 200/);
  expect(received).not.toMatch(/transfer-encoding/i);
  const pad = ': {4096}\\n\\n';
  const gap = `[^ ](?:(?!event: )[^])*${pad}(?:(?!event: )[^])*`;
  expect(received).toMatch(
    new RegExp(`event: sources${gap}event: token\ndata: .*first ${gap}event: token\ndata: .*second`),
  );
  expect(received).toMatch(/\n\nevent: done\n.*\n\n$/);
});

it('HTTP/1.0 over the OpenAI API: the same', async () => {
  await start();
  const messages = [{ role: 'user', content: 'What is bodyLimit?' }];
  expect((await wire('1.0', '/v1/chat/completions', { messages, stream: true })).match(PADDING)).not.toBeNull();
});

it('HTTP/1.1: none', async () => {
  await start();
  expect(await wire('1.1')).not.toMatch(PADDING);
});

it('events close together share one padding', async () => {
  await start(15_000, 0);
  const received = await wire('1.0');
  expect(received.match(PADDING)?.length ?? 0).toBeLessThan(3);
});

it('silence: a comment after each heartbeat time', async () => {
  await start(100, 450);
  const received = await wire('1.1');
  expect(received.match(/: ping\n\n/g)?.length).toBeGreaterThanOrEqual(6);
});
