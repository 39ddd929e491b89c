import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { httpFetch } from './http-fetch.ts';

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

async function listen(server: Server): Promise<string> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/x?y=1`;
}
const serve = (answer: (req: IncomingMessage, res: ServerResponse) => unknown) => listen(createServer(answer));
/** A server that says these bytes to every request. */
const say = (text: string) =>
  listen(createTcpServer((socket) => void socket.on('error', () => {}).once('data', () => socket.end(text))));

describe('fetch over node:http', () => {
  it('sends method, headers and body, and returns status, headers and body', async () => {
    const url = await serve(async (req, res) => {
      let body = '';
      for await (const part of req) body += part;
      res.writeHead(418, { 'retry-after': '7', 'set-cookie': ['a=1', 'b=2'] });
      res.end(JSON.stringify([req.method, req.url, req.headers['x-a'], req.headers['content-length'], body]));
    });
    const response = await httpFetch(url, { method: 'POST', headers: { 'X-A': 'b' }, body: 'größer' });
    expect([response.status, response.ok, response.headers.get('retry-after')]).toEqual([418, false, '7']);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(await response.json()).toEqual(['POST', '/v1/x?y=1', 'b', '8', 'größer']);
    expect((await httpFetch(new URL(url))).status).toBe(418);
  });

  it('passes each piece on as it comes, and keeps the connection for the next request', async () => {
    const ports = new Set<number | undefined>();
    let send: (text?: string) => void = () => {};
    const url = await serve((req, res) => {
      ports.add(req.socket.remotePort);
      res.writeHead(200).flushHeaders();
      send = (text) => (text === undefined ? res.end() : res.write(text));
    });
    for (const _ of [1, 2]) {
      const reader = (await httpFetch(url)).body?.getReader();
      for (const text of ['one', 'two']) {
        send(text);
        expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(text);
      }
      send();
      expect((await reader?.read())?.done).toBe(true);
      await sleep(5);
    }
    expect(ports.size).toBe(1);
  });

  it('rejects when nobody listens, and when a signal fires before the answer', async () => {
    await expect(httpFetch('http://127.0.0.1:9/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const url = await serve(() => {});
    const reason = new Error('enough');
    const leave = new AbortController();
    const asked = httpFetch(url, { signal: leave.signal });
    await sleep(20);
    leave.abort(reason);
    await expect(asked).rejects.toBe(reason);
    await expect(httpFetch(url, { signal: leave.signal })).rejects.toBe(reason);
  });

  it.each([
    ['its signal fires', true],
    ['its reader leaves', false],
  ])('ends the request in the middle of the answer when %s', async (_what, bySignal) => {
    let gone: () => void = () => {};
    const left = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const url = await serve((_req, res) => void res.on('close', gone).write('one'));
    const leave = new AbortController();
    const reader = (await httpFetch(url, { signal: leave.signal })).body?.getReader();
    await reader?.read();
    if (bySignal) {
      const next = reader?.read();
      leave.abort(new Error('enough'));
      await expect(next).rejects.toThrow('enough');
    } else await reader?.cancel();
    await left;
  });

  it('does not read ahead of a slow reader without bound', async () => {
    let sent = 0;
    const url = await serve(async (_req, res) => {
      const closed = once(res, 'close');
      for (let n = 0; n < 200 && !res.destroyed; n++) {
        sent += 1;
        if (!res.write(Buffer.alloc(256 * 1024))) await Promise.race([once(res, 'drain'), closed]);
      }
    });
    const reader = (await httpFetch(url)).body?.getReader();
    await reader?.read();
    await sleep(200);
    // Of 50 MB; the rest of what was sent is in the sockets.
    expect(sent).toBeLessThan(100);
    await reader?.cancel();
  });

  it.each([
    ['a connection that is cut', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'],
    ['a chunk that is cut', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nhalf'],
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a status that does not exist', 'HTTP/1.1 999 X\r\ncontent-length: 0\r\n\r\n'],
  ])('fails at %s', async (_what, text) => {
    const url = await say(text);
    await expect(httpFetch(url).then((response) => response.text())).rejects.toThrow();
  });

  it('knows answers that have no body', async () => {
    const url = await say('HTTP/1.1 204 No Content\r\n\r\n');
    const response = await httpFetch(url);
    expect([response.status, response.body]).toEqual([204, null]);
  });
});
