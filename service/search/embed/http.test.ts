import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHttp } from './http.ts';

let server: Server;
let url: string;
let requests: { path: string; body: { model: string; input: string[] }; key: string | undefined }[];
let answer: (input: string[], path: string) => { status?: number; body: unknown } | undefined;
const wait = async () => {};
const vector = (text: string) => [text.length, 1];

beforeEach(async () => {
  requests = [];
  answer = (input, path) => ({
    body: path.endsWith('/embeddings')
      ? { data: input.map((text, index) => ({ index, embedding: vector(text) })).reverse() }
      : { embeddings: input.map(vector) },
  });
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const body = JSON.parse(text);
      requests.push({ path: request.url ?? '', body, key: request.headers.authorization });
      const found = answer(body.input, request.url ?? '');
      if (found !== undefined)
        response.writeHead(found.status ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(found.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

describe('an embedder behind HTTP', () => {
  it.each([
    ['/v1', '/v1/embeddings'],
    ['', '/api/embed'],
  ])('speaks the protocol of %j', async (base, path) => {
    const embedder = await openHttp({ url: url + base, model: 'mxbai-embed-large', apiKey: 'secret' });
    expect(embedder).toMatchObject({ dimensions: 2, multilingual: false });
    const [vectors] = [await embedder.embedPassages(['a', 'bbb'])];
    expect(vectors[1]?.[0]).toBeCloseTo(3 / Math.sqrt(10));
    expect(requests.at(-1)).toEqual({
      path,
      body: { model: 'mxbai-embed-large', input: ['a', 'bbb'] },
      key: 'Bearer secret',
    });
    await embedder.embedQuery('q');
    expect(requests.at(-1)?.body.input).toEqual(['Represent this sentence for searching relevant passages: q']);
  });

  it('sends batches of 32', async () => {
    const embedder = await openHttp({ url, model: 'x' });
    expect(await embedder.embedPassages(Array.from({ length: 70 }, (_, at) => 'p'.repeat(at + 1)))).toHaveLength(70);
    expect(requests.slice(1).map(({ body }) => body.input.length)).toEqual([32, 32, 6]);
  });

  it('tries again after a failure that may pass, and not after one that will not', async () => {
    const good = answer;
    let failures = 2;
    answer = (...args) => (failures-- > 0 ? { status: 503, body: 'loading' } : good(...args));
    await openHttp({ url, model: 'x', wait });
    expect(requests).toHaveLength(3);
    answer = () => ({ status: 404, body: { error: 'model "x" not found' } });
    requests = [];
    await expect(openHttp({ url, model: 'x', wait })).rejects.toMatchObject({
      code: 'bad_config',
      message: /refused model x with status 404: .*not found/,
    });
    expect(requests).toHaveLength(1);
  });

  it('gives up with a sentence: no answer in time, nobody there, nonsense', async () => {
    const fails = (options: object = {}) => openHttp({ url, model: 'x', wait, retries: 1, ...options });
    answer = () => undefined;
    await expect(fails({ timeoutMs: 50 })).rejects.toMatchObject({ code: 'unavailable', message: /cannot be reached/ });
    answer = () => ({ body: { hello: 1 } });
    await expect(fails()).rejects.toThrow('answered in a form that is not known');
    answer = () => ({ body: { embeddings: [] } });
    await expect(fails()).rejects.toThrow('another number of vectors');
    await expect(fails({ url: 'http://127.0.0.1:9' })).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('cuts a long text into pieces and loses none of it', async () => {
    const embedder = await openHttp({ url, model: 'x' });
    const text = Array.from({ length: 2000 }, (_, at) => `w${at}`).join(' ');
    const pieces = embedder.pieces(text);
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.join(' ').split(/\s+/)).toEqual(text.split(' '));
  });
});
