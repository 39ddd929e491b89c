/** What the service does not take, and what it says then; over real HTTP. */
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorBodySchema } from './contract.ts';
import type { Service } from './serve.ts';
import { post, standInService } from './testing/service.ts';

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

describe('what is refused', () => {
  const send = (body: string, headers: Record<string, string> = { 'content-type': 'application/json' }, query = '') =>
    fetch(`${service.url}/ask${query}`, { method: 'POST', body, headers });

  it.each([
    ['broken JSON', '{"question": ', /not valid JSON/],
    ['no JSON at all', '', /not valid JSON/],
    ['bytes that are no UTF-8', '{"question": "\u0000"}', /.*/],
    ['a wrong type', '{"question": 5}', /question: /],
    ['no question', '{}', /question: /],
    ['an empty question', '{"question": " \\n "}', /must not be empty/],
    ['a long question', JSON.stringify({ question: 'x'.repeat(2001) }), /at most 2000/],
    ['k of 0', '{"question": "x", "k": 0}', /^k: /],
    ['k of 21', '{"question": "x", "k": 21}', /^k: /],
    ['k of 1.5', '{"question": "x", "k": 1.5}', /^k: /],
    ['a field too many', '{"question": "x", "topk": 3}', /topk/],
    ['an array', '[1]', /.+/],
  ])('%s: 422', async (name, body, message) => {
    const response = name.includes('UTF-8')
      ? await fetch(`${service.url}/ask`, {
          method: 'POST',
          body: Buffer.from([0x22, 0xff, 0x22]),
          headers: { 'content-type': 'application/json' },
        })
      : await send(body);
    expect(response.status).toBe(422);
    const error = await failed(response);
    expect(error.code).toBe('bad_input');
    expect(error.message).toMatch(message);
  });

  it('a question of 2000 characters is fine, also when each is escaped', async () => {
    const body = `{"question": "${'\\u0416'.repeat(2000)}"}`;
    expect((await send(body, undefined, '?stream=false')).status).toBe(200);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'multipart/form-data; boundary=x'])(
    '%s: 415',
    async (type) => {
      const response = await send(JSON.stringify(QUESTION), { 'content-type': type });
      expect(response.status).toBe(415);
      expect(await failed(response)).toMatchObject({ code: 'unsupported_type' });
    },
  );

  it('compressed JSON: 415; JSON with a charset or a suffix: fine', async () => {
    const body = JSON.stringify(QUESTION);
    expect((await send(body, { 'content-type': 'application/json', 'content-encoding': 'gzip' })).status).toBe(415);
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/vnd.api+json']) {
      expect((await send(body, { 'content-type': type }, '?stream=false')).status).toBe(200);
    }
  });

  it('another value of stream: 422', async () => {
    expect((await send(JSON.stringify(QUESTION), undefined, '?stream=maybe')).status).toBe(422);
  });

  it('another path: 404; another method: 405 with Allow', async () => {
    expect((await failed(await fetch(`${service.url}/nothing`))).code).toBe('not_found');
    const response = await fetch(`${service.url}/ask`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await failed(response)).code).toBe('method_not_allowed');
    expect((await post(`${service.url}/stats`, {})).headers.get('allow')).toBe('GET, HEAD');
    expect((await fetch(`${service.url}/healthz`, { method: 'HEAD' })).status).toBe(200);
  });
});

describe('a body that is too large', () => {
  const answersNext = async () => expect((await post(`${service.url}/ask?stream=false`, QUESTION)).status).toBe(200);

  it.each([20_000, 3_000_000])(
    '%d bytes with a Content-Length: 413, and the service answers the next',
    async (size) => {
      const response = await post(`${service.url}/ask`, { question: 'x'.repeat(size) });
      expect(response.status).toBe(413);
      expect(await failed(response)).toMatchObject({ code: 'too_large' });
      await answersNext();
    },
  );

  it.each([20_000, 3_000_000])('%d bytes in chunks: 413, and the service answers the next', async (size) => {
    const chunk = Buffer.alloc(10_000, 'x');
    const status = await new Promise<number>((resolve, reject) => {
      const req = httpRequest(
        `${service.url}/ask`,
        { method: 'POST', headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' } },
        (res) => {
          res.resume();
          res.on('end', () => resolve(res.statusCode ?? 0));
        },
      );
      req.on('error', reject);
      for (let sent = 0; sent < size; sent += chunk.length) req.write(chunk);
      req.end();
    });
    expect(status).toBe(413);
    await answersNext();
  });

  it('three megabytes on a connection that is then used again', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const head =
      'POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    socket.write(head);
    for (let i = 0; i < 300; i += 1) socket.write(`2710\r\n${'x'.repeat(10_000)}\r\n`);
    socket.write('0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    let received = '';
    for await (const data of socket) received += data;
    expect(received).toMatch(/^HTTP\/1\.1 413/);
    expect(received).toMatch(/HTTP\/1\.1 200/);
  });

  it('a body that never ends is given up', async () => {
    const slow = await standInService({ limits: { bodyMs: 100 } });
    const { hostname, port } = new URL(slow.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      'POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"que',
    );
    let received = '';
    for await (const data of socket) received += data;
    expect(received).toMatch(/^HTTP\/1\.1 408/);
    expect(received).toMatch(/^connection: close/im);
    expect(received).toContain('did not arrive within 0.1 s');
    await slow.close();
  });
});
