/** Closing the service while answers are under way. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { answers, chunkText, type LlmStandIn, llmStandIn, type Script, startStream } from './testing/llm-stand-in.ts';
import { standInCommand } from './testing/retrieval.ts';
import { eventsOf, post, standInService } from './testing/service.ts';

const QUESTION = { question: 'What is the default of bodyLimit?' };
let llm: LlmStandIn;
afterEach(() => llm.close());

const endless: Script = async (res) => {
  startStream(res);
  while (!res.destroyed) {
    res.write(chunkText('more '));
    await sleep(10);
  }
};
const start = async (script: Script, shutdownMs: number) => {
  llm = await llmStandIn(script);
  return await standInService({
    limits: { shutdownMs },
    env: { ASKDOCS_LLM_PROVIDER: 'llamacpp', ASKDOCS_LLM_BASE_URL: llm.url, ASKDOCS_LLM_MAX_TOKENS: '5000' },
  });
};

it('answers that end within the bound end well', async () => {
  const service = await start(answers(['It ', 'is ', '1 MiB [1].'], { delayMs: 100 }), 5000);
  const asked = post(`${service.url}/ask`, QUESTION).then(eventsOf);
  await expect.poll(() => llm.open()).toBe(1);
  const started = performance.now();
  await service.close();
  expect((await asked).at(-1)?.event).toBe('done');
  expect(performance.now() - started).toBeLessThan(3000);
});

it('the rest ends with an error that says why, in both modes, and the model is let go', async () => {
  const service = await start(endless, 200);
  const streamed = post(`${service.url}/ask`, QUESTION).then(eventsOf);
  const collected = post(`${service.url}/ask?stream=false`, QUESTION);
  await expect.poll(() => llm.open()).toBe(2);
  await service.close();
  expect((await streamed).at(-1)).toMatchObject({
    event: 'error',
    data: { code: 'unavailable', message: 'The service is shutting down.', partial: expect.stringContaining('more') },
  });
  expect((await collected).status).toBe(503);
  await expect.poll(() => llm.open()).toBe(0);
});

it('closing twice is closing once; idle connections do not hold it up', async () => {
  const service = await start(answers(['x [1].']), 5000);
  await (await fetch(`${service.url}/healthz`)).text();
  const started = performance.now();
  await Promise.all([service.close(), service.close()]);
  expect(performance.now() - started).toBeLessThan(2000);
  await expect(fetch(`${service.url}/healthz`)).rejects.toThrow();
});

it('a question that a proxy had begun to send is the last one on its connection', async () => {
  const service = await start(answers(['x [1].']), 5000);
  const { port } = new URL(service.url);
  const socket = connect(Number(port), '127.0.0.1');
  let said = '';
  socket.setEncoding('latin1').on('data', (text) => {
    said += text;
  });
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.write('GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n');
  await sleep(50);
  const closed = service.close();
  socket.write('connection: keep-alive\r\n\r\n');
  await ended;
  expect(said).toMatch(/^HTTP\/1\.1 200[\s\S]*connection: close/i);
  await closed;
});

it('/readyz is 503 when the model does not answer, and names it', async () => {
  const service = await start(answers(['x [1].']), 100);
  await llm.close();
  const response = await fetch(`${service.url}/readyz`);
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ ready: false, problems: [expect.stringMatching(/^model: /)] });
  await service.close();
});

it('/readyz is 503 when the index cannot be searched, also when it still tells its size', async () => {
  llm = await llmStandIn(answers(['x']));
  const service = await standInService({ mode: 'iserror', env: { ASKDOCS_WARMUP: 'false' } });
  const response = await fetch(`${service.url}/readyz`);
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ ready: false, problems: [expect.stringMatching(/^retrieval: /)] });
  expect(await (await fetch(`${service.url}/healthz`)).json()).toMatchObject({ status: 'degraded' });
  await service.close();
});

it('a hundred who ask /readyz at once cost one look', async () => {
  llm = await llmStandIn(answers(['x']));
  const folder = mkdtempSync(join(tmpdir(), 'askdocs-ready-'));
  const calls = join(folder, 'calls');
  const command = standInCommand('slow:1000', calls)
    .map((word) => `"${word}"`)
    .join(' ');
  const service = await standInService({ env: { ASKDOCS_MCP_COMMAND: command } });
  writeFileSync(calls, '');
  const replies = await Promise.all(Array.from({ length: 100 }, () => fetch(`${service.url}/readyz`)));
  expect(replies.every(({ status }) => status === 200)).toBe(true);
  expect(readFileSync(calls, 'utf8').match(/tools\/call/g)?.length).toBeLessThan(20);
  await service.close();
  rmSync(folder, { recursive: true });
});
