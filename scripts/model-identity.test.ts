import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { modelIdentity } from './model-identity.ts';

async function serve(answers: Record<string, unknown>): Promise<string> {
  const server = createServer((request, response) => {
    const body = answers[request.url ?? ''];
    response
      .writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

test('a model started here is known by the hash of its file', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'askdocs-identity-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const path = join(dir, 'a.gguf');
  writeFileSync(path, 'weights');
  const url = await serve({ '/props': { model_path: path } });
  const sha256 = createHash('sha256').update('weights').digest('hex');
  expect(await modelIdentity(url, { isOurs: true })).toEqual({ file: 'a.gguf', sha256 });
});

test('a model elsewhere is known by what its server tells, without its folder', async () => {
  const models = { data: [{ id: 'm', meta: { n_params: 7, size: 9 } }] };
  const url = await serve({ '/props': { model_path: '/models/b.gguf' }, '/v1/models': models });
  expect(await modelIdentity(`${url}/`, { isOurs: false })).toEqual({ file: 'b.gguf', n_params: 7, bytes: 9 });
});

test('a server that tells nothing, or is not there, gives no identity', async () => {
  expect(await modelIdentity(await serve({}), { isOurs: false })).toEqual({});
  expect(await modelIdentity('http://127.0.0.1:9/v1', { isOurs: false })).toEqual({});
});
