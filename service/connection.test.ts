/** Raw bytes on a socket: whatever comes, the answer has the right status and one sentence, and the service goes on. */
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOddConnections } from './connection.ts';
import { errorEnvelopeSchema } from './contract.ts';
import type { Service } from './serve.ts';
import { standInService } from './testing/service.ts';

let service: Service;
beforeAll(async () => {
  service = await standInService();
});
afterAll(() => service.close());

/** All that comes back until the service closes the connection. */
async function send(text: string, port = Number(new URL(service.url).port)): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  let received = '';
  for await (const data of socket.setEncoding('utf8')) received += data;
  return received;
}
const head = (line: string, more = '') => `${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${more}\r\n`;
const statusOf = (received: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1]);
const errorOf = (received: string) => errorEnvelopeSchema.parse(JSON.parse(/\{.*\}/s.exec(received)?.[0] ?? '')).error;
const json = 'Content-Type: application/json\r\n';

describe('what is no request', () => {
  it.each([
    ['bytes of TLS', '\x16\x03\x01\x02\x00\x01\x00', 400],
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['an unknown method', head('FOO /healthz'), 400],
    ['a path without a slash', head('GET healthz'), 400],
    ['lines without CR', 'GET /healthz HTTP/1.1\nHost: localhost\n\n', 400],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['two lengths', head('POST /ask', `${json}Content-Length: 5\r\nContent-Length: 6\r\n`), 400],
    ['a length and chunks', head('POST /ask', `${json}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n`), 400],
    ['a negative length', head('POST /ask', `${json}Content-Length: -5\r\n`), 400],
    ['a chunk of no size', `${head('POST /ask', `${json}Transfer-Encoding: chunked\r\n`)}zz\r\n`, 400],
    ['headers of 20 KB', head('GET /healthz', `X: ${'x'.repeat(20_000)}\r\n`), 431],
    ['an address of 20 KB', head(`GET /healthz?${'x'.repeat(20_000)}`), 431],
    ['a tunnel', head('CONNECT localhost:80'), 405],
    ['an unknown expectation', head('POST /ask', `${json}Expect: magic\r\nContent-Length: 0\r\n`), 417],
  ])('%s', async (_name, text, status) => {
    const received = await send(text);
    expect(statusOf(received)).toBe(status);
    expect(errorOf(received).message).toMatch(/^[A-Z].*\.$/);
    expect(received).toMatch(/^connection: close/im);
    expect(statusOf(await send(head('GET /healthz')))).toBe(200);
  });

  it('a tunnel is told what there is', async () => {
    expect(await send(head('CONNECT localhost:80'))).toMatch(/^Allow: GET, HEAD, POST, DELETE\r$/m);
  });

  it('headers that trickle', async () => {
    const server = createServer({ headersTimeout: 100, connectionsCheckingInterval: 20 });
    answerOddConnections(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const received = await send('GET / HTTP/1.1\r\nHost: local', (server.address() as AddressInfo).port);
    expect([statusOf(received), errorOf(received).code]).toEqual([408, 'request_timeout']);
    await new Promise((resolve) => server.close(resolve));
  });

  it('in the middle of an answer: the connection ends, and nothing is put into the answer', async () => {
    const server = createServer((_req, res) => void res.writeHead(200).write('half'));
    answerOddConnections(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
    let received = '';
    socket.on('data', (data) => {
      received += data;
      socket.write('zz\r\n');
    });
    await new Promise<void>((resolve) => socket.on('error', () => undefined).on('close', () => resolve()));
    expect(received).toMatch(/^HTTP\/1\.1 200 OK.*half\r\n$/s);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('an odd address', () => {
  it.each([
    ['percent-encoded', '/%68ealthz', 200],
    ['with a slash behind it', '/healthz/', 200],
    ['absolute', 'http://localhost/healthz', 200],
    ['absolute, of another host', 'http://evil.example/healthz', 403],
    ['that cannot be decoded', '/%zz%ff', 404],
    ['that climbs', '/../../etc/passwd', 404],
    ['that climbs, encoded', '/%2e%2e/%2e%2e/etc/passwd', 404],
    ['with an encoded slash', '/ask%2f..%2fhealthz', 404],
    ['in capitals', '/HEALTHZ', 404],
    ['of two slashes', '//evil.example/healthz', 404],
    ['of no path', '*', 404],
  ])('%s', async (_name, address, status) => {
    const received = await send(head(`GET ${address}`));
    expect(statusOf(received)).toBe(status);
    expect(received).toMatch(/^x-request-id: /im);
    if (status !== 200) expect(errorOf(received).message).toMatch(/\.$/);
  });

  it('needs a key as the plain one does', async () => {
    const keyed = await standInService({ env: { ASKDOCS_API_KEYS: 'first-key-1' } });
    const port = Number(new URL(keyed.url).port);
    for (const address of ['/stats', '/%73tats', '/stats/', '//stats', '/./stats', 'http://localhost/stats']) {
      expect([address, statusOf(await send(head(`GET ${address}`), port))]).not.toEqual([address, 200]);
    }
    await keyed.close();
  });
});

it('a host with a full stop behind it is the same host', async () => {
  const named = (host: string) => send(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  expect(statusOf(await named('localhost.'))).toBe(200);
  expect(statusOf(await named('LOCALHOST:99'))).toBe(200);
  expect(statusOf(await named('evil.localhost.example.'))).toBe(403);
});

describe('methods', () => {
  it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'GET', 'HEAD'])('%s /ask: 405 with Allow', async (method) => {
    const received = await send(head(`${method} /ask`));
    expect(statusOf(received)).toBe(405);
    expect(received).toMatch(/^allow: POST\r$/m);
  });

  it.each(['/healthz', '/readyz', '/metrics', '/', '/openapi.json'])('HEAD %s has no body', async (path) => {
    const received = await send(head(`HEAD ${path}`));
    expect(statusOf(received)).toBe(200);
    expect(received.endsWith('\r\n\r\n')).toBe(true);
  });
});

it('requests that come one behind the other are answered in order', async () => {
  const body = '{"question":"What is the default of bodyLimit?"}';
  const received = await send(
    `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: one\r\n\r\n` +
      `POST /ask?stream=false HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: two\r\n${json}Content-Length: ${body.length}\r\n\r\n${body}` +
      head('GET /readyz', 'X-Request-Id: three\r\n'),
  );
  expect(received.match(/^HTTP\/1\.1 200/gm)).toHaveLength(3);
  expect([...received.matchAll(/^x-request-id: (\w+)/gim)].map((match) => match[1])).toEqual(['one', 'two', 'three']);
});
