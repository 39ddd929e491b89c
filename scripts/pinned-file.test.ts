import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { fetchFile, orderFrom } from './pinned-file.ts';

const CONTENT = Buffer.from('a model of many bytes '.repeat(5000));
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');
let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'askdocs-pinned-'));
  file = join(dir, 'models', 'answers.gguf');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Serves ranges; `cut` breaks the first answer off in the middle. */
async function server({ cut = false, status = 200, content = CONTENT } = {}) {
  const seen: (string | undefined)[] = [];
  const from = (req: IncomingMessage) => Number(/^bytes=(\d+)-$/.exec(req.headers.range ?? '')?.[1] ?? 0);
  const http = createServer((req, res) => {
    seen.push(req.headers.range);
    if (status !== 200) return void res.writeHead(status).end();
    if (from(req) >= content.length) return void res.writeHead(416).end();
    const rest = content.subarray(from(req));
    res.writeHead(req.headers.range === undefined ? 200 : 206, { 'content-length': rest.length });
    if (!cut || seen.length > 1) return void res.end(rest);
    res.write(rest.subarray(0, 40_000), () => setTimeout(() => res.destroy(), 100));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void http.close());
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/x.gguf`, seen };
}
const quiet = () => undefined;

test('fetched, checked, put in place; a second time nothing is asked', async () => {
  const { url, seen } = await server();
  const shown: number[] = [];
  expect(await fetchFile({ url, file, sha256: SHA256 }, (done) => shown.push(done))).toBe(true);
  expect(readFileSync(file).equals(CONTENT)).toBe(true);
  expect(shown.at(-1)).toBe(CONTENT.length);
  expect(await fetchFile({ url, file, sha256: SHA256 }, quiet)).toBe(false);
  expect(seen).toEqual([undefined]);
  expect(readdirSync(join(dir, 'models'))).toEqual(['answers.gguf']);
});

test('what broke off is gone on with', async () => {
  const { url, seen } = await server({ cut: true });
  const order = { url, file, sha256: SHA256 };
  await expect(fetchFile(order, quiet)).rejects.toThrow(/broke off; the next try goes on from there/);
  expect(existsSync(file)).toBe(false);
  expect(await fetchFile(order, quiet)).toBe(true);
  expect(seen[1]).toMatch(/^bytes=\d{4,}-$/);
  expect(readFileSync(file).equals(CONTENT)).toBe(true);
});

test('another content is thrown away, and what was in place before stays', async () => {
  const { url } = await server({ content: Buffer.from('something else') });
  await fetchFile({ url: (await server()).url, file, sha256: SHA256 }, quiet);
  const other = { url, file, sha256: 'f'.repeat(64) };
  await expect(fetchFile(other, quiet)).rejects.toThrow(/has the SHA-256 [0-9a-f]{64}, not f{64}; it was thrown away/);
  expect(readFileSync(file).equals(CONTENT)).toBe(true);
  expect(readdirSync(join(dir, 'models'))).toEqual(['answers.gguf']);
});

test('a whole part that was never put in place is taken', async () => {
  const { url } = await server();
  await fetchFile({ url, file, sha256: SHA256 }, quiet);
  rmSync(file);
  writeFileSync(`${file}.part`, CONTENT);
  expect(await fetchFile({ url, file, sha256: SHA256 }, quiet)).toBe(true);
});

test('a server that refuses, or is not there', async () => {
  const { url } = await server({ status: 404 });
  await expect(fetchFile({ url, file, sha256: SHA256 }, quiet)).rejects.toThrow(/answered with status 404/);
  const nobody = { url: 'http://127.0.0.1:1/x', file, sha256: SHA256 };
  await expect(fetchFile(nobody, quiet)).rejects.toThrow(/cannot be reached/);
});

test.each([
  ['MODEL_URL', 'ftp://x', /MODEL_URL is "ftp:\/\/x"; it must be an http or https address/],
  ['MODEL_SHA256', 'abc', /MODEL_SHA256 is "abc"; it must be 64 hexadecimal digits/],
  ['MODEL_FILE', '', /MODEL_FILE is ""; it must be a path/],
])('%s=%s is refused', (name, value, message) => {
  const right = { MODEL_URL: 'https://example.org/x.gguf', MODEL_SHA256: SHA256, MODEL_FILE: '/models/x.gguf' };
  expect(orderFrom(right)).toEqual({ url: 'https://example.org/x.gguf', sha256: SHA256, file: '/models/x.gguf' });
  expect(() => orderFrom({ ...right, [name]: value })).toThrow(message);
});
