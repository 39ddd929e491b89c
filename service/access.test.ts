/** Keys, cross-origin pages, the check of Host, and request ids, over real HTTP. */
import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { loadConfig } from './config.ts';
import { createLogger } from './log.ts';
import type { Service } from './serve.ts';
import { post, standInService } from './testing/service.ts';

const QUESTION = { question: 'What is the default of bodyLimit?' };
let service: Service;
afterEach(() => service?.close());
const start = async (env: Record<string, string> = {}) => {
  service = await standInService({ env });
};

/** With headers that `fetch` does not let one set. */
function get(path: string, headers: Record<string, string>, method = 'GET') {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }>((resolve, reject) => {
    const req = request(service.url + path, { headers, method }, (res) => {
      let body = '';
      res.on('data', (chunk) => {
        body += chunk;
      });
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body }));
    });
    req.on('error', reject);
    req.end();
  });
}

describe('keys', () => {
  const bearer = (key: string) => ({ headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` } });

  it('none are needed when none are set', async () => {
    await start();
    expect((await post(`${service.url}/ask?stream=false`, QUESTION)).status).toBe(200);
  });

  it('any of those set opens, no other does', async () => {
    await start({ ASKDOCS_API_KEYS: 'first-key-1, second-key-2' });
    for (const key of ['first-key-1', 'second-key-2']) {
      expect((await post(`${service.url}/ask?stream=false`, QUESTION, bearer(key))).status).toBe(200);
    }
    for (const key of ['first-key-', 'first-key-1x', 'FIRST-KEY-1', 'first-key-1,second-key-2', '']) {
      const response = await post(`${service.url}/ask?stream=false`, QUESTION, bearer(key));
      expect([key, response.status, response.headers.get('www-authenticate')]).toEqual([key, 401, 'Bearer']);
      expect(await response.json()).toMatchObject({ success: false, error: { code: 'unauthorized' } });
    }
    expect((await post(`${service.url}/ask`, QUESTION)).status).toBe(401);
  });

  it('guard every path but those for probes, the document and the page', async () => {
    await start({ ASKDOCS_API_KEYS: 'first-key-1' });
    const open = ['/healthz', '/readyz', '/openapi.json', '/'];
    for (const path of ['/stats', '/info', '/metrics', '/v1/models', ...open]) {
      expect([path, (await fetch(service.url + path)).status]).toEqual([path, open.includes(path) ? 200 : 401]);
    }
    for (const path of ['/search', '/v1/chat/completions', '/mcp']) {
      expect([path, (await post(service.url + path, QUESTION)).status]).toEqual([path, 401]);
    }
  });

  it('are refused at the start when short or odd, and never shown', () => {
    for (const keys of ['short', 'with space in it', 'good-key-1,short']) {
      expect(() => loadConfig({ ASKDOCS_API_KEYS: keys })).toThrow(
        /ASKDOCS_API_KEYS is \(not shown\); it must be keys/,
      );
    }
  });
});

describe('cross-origin pages', () => {
  const preflight = (origin: string) =>
    get(
      '/ask',
      { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
      'OPTIONS',
    );

  it('are not let in when no origin is listed', async () => {
    await start();
    const asked = await preflight('https://a.example');
    expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([405, undefined]);
    const got = await get('/healthz', { origin: 'https://a.example' });
    expect(got.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('of a listed origin are, others are not', async () => {
    await start({ ASKDOCS_CORS_ORIGINS: 'https://a.example,https://b.example' });
    const asked = await preflight('https://b.example');
    expect(asked.status).toBe(204);
    expect(asked.headers).toMatchObject({
      'access-control-allow-origin': 'https://b.example',
      'access-control-allow-methods': 'GET,POST,DELETE',
      'access-control-max-age': '600',
      vary: expect.stringMatching(/origin/i),
    });
    expect(asked.headers['access-control-allow-headers']).toContain('authorization');
    const got = await get('/healthz', { origin: 'https://a.example' });
    expect(got.headers).toMatchObject({
      'access-control-allow-origin': 'https://a.example',
      'access-control-expose-headers': expect.stringContaining('retry-after'),
    });
    const failed = await get('/nothing', { origin: 'https://a.example' });
    expect([failed.status, failed.headers['access-control-allow-origin']]).toEqual([404, 'https://a.example']);
    const other = await preflight('https://evil.example');
    expect([other.status, other.headers['access-control-allow-origin']]).toEqual([405, undefined]);
  });

  it('may be all, when that is what is listed', async () => {
    await start({ ASKDOCS_CORS_ORIGINS: '*' });
    expect((await preflight('https://any.example')).headers['access-control-allow-origin']).toBe('*');
  });

  it('what is no origin stops the start', () => {
    expect(() => loadConfig({ ASKDOCS_CORS_ORIGINS: 'https://a.example/path' })).toThrow(/ASKDOCS_CORS_ORIGINS/);
  });
});

describe('the check of Host against DNS rebinding', () => {
  it('lets in the names of this machine, and those listed', async () => {
    await start({ ASKDOCS_ALLOWED_HOSTS: 'docs.example.org' });
    for (const host of [
      'localhost',
      'localhost:1234',
      '127.0.0.1:8000',
      '[::1]:80',
      'app.localhost',
      'docs.example.org:443',
    ]) {
      expect([host, (await get('/healthz', { host })).status]).toEqual([host, 200]);
    }
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1', 'x:y']) {
      const refused = await get('/healthz', { host });
      expect([host, refused.status]).toEqual([host, 403]);
      expect(refused.body).toContain('ASKDOCS_ALLOWED_HOSTS');
    }
  });

  it('is off when the service is bound elsewhere: there, a key protects', async () => {
    const lines: string[] = [];
    const log = createLogger({ write: (line: string) => lines.push(line) });
    service = await standInService({ env: { ASKDOCS_HOST: '0.0.0.0' }, log });
    const { port } = new URL(service.url);
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    expect(lines.join('')).toMatch(/whoever reaches this address may ask; set ASKDOCS_API_KEYS/);
    await service.close();
    lines.length = 0;
    service = await standInService({ env: { ASKDOCS_HOST: '0.0.0.0', ASKDOCS_API_KEYS: 'first-key-1' }, log });
    expect(lines.join('')).not.toMatch(/whoever reaches/);
  });
});

describe('request ids', () => {
  it('are taken over and given back, on failures too', async () => {
    await start();
    expect((await get('/healthz', { 'x-request-id': 'abc-1:2' })).headers['x-request-id']).toBe('abc-1:2');
    expect((await get('/nothing', { 'x-request-id': 'abc' })).headers['x-request-id']).toBe('abc');
    const streamed = await post(`${service.url}/ask`, QUESTION, {
      headers: { 'content-type': 'application/json', 'x-request-id': 'mine' },
    });
    expect(streamed.headers.get('x-request-id')).toBe('mine');
    await streamed.text();
  });

  it('are new when there is none, or none that is fit for a log', async () => {
    await start();
    const ids = [
      (await get('/healthz', {})).headers['x-request-id'],
      (await get('/healthz', { 'x-request-id': 'a b' })).headers['x-request-id'],
      (await get('/healthz', { 'x-request-id': 'x'.repeat(200) })).headers['x-request-id'],
    ];
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(3);
  });
});
