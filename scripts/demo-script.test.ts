/** scripts/demo.sh against a real service: what it shows, and what it says where something is not as it should be. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../service/config.ts';
import { silentLogger } from '../service/log.ts';
import { indexPaths } from '../service/search/ingest/index.ts';
import { type Service, startService } from '../service/serve.ts';

const SCRIPT = fileURLToPath(new URL('demo.sh', import.meta.url));
const QUESTION = 'What is the limit of an upload?';
let dir: string;
let db: string;
let service: Service;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'askdocs-demo-'));
  db = join(dir, 'docs.db');
  writeFileSync(join(dir, 'limits.md'), '# Limits\n\nThe limit of an upload is "5 MB" \\ no more.\n');
  await indexPaths({ roots: [dir], db });
  service = await start();
});
afterAll(async () => {
  await service.close();
  rmSync(dir, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}): Promise<Service> {
  const config = loadConfig({ ASKDOCS_PORT: '0', ASKDOCS_MCP_DB: db, ASKDOCS_EMBED_MODEL: 'none', ...env });
  return startService(config, { log: silentLogger });
}

function demo(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn('bash', [SCRIPT, ...args], { env: { PATH: process.env.PATH, ...env } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (data: Buffer) => {
    out += data;
  });
  child.stderr.on('data', (data: Buffer) => {
    err += data;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
}

test('four scenes: a streamed answer with its source, a refusal, passages, bad input', async () => {
  const { code, out, err } = await demo([service.url, QUESTION]);
  expect(err).toBe('');
  expect(code).toBe(0);
  expect(out).toContain('The limit of an upload is "5 MB" \\ no more. [1]\n\nSources:\n  1. limits.md\n');
  expect(out).toContain('I cannot answer this from the documents.\nrefused by: gate\n');
  expect(out).toMatch(/— 3\.[\s\S]*\n {2}1\. limits\.md\n/);
  expect(out).toContain('422  bad_input: question: must not be empty\n');
  expect(out).not.toContain('\u001b');
});

test('any question a shell can pass is asked as it is', async () => {
  const { code, out } = await demo([`${service.url}/`, 'What is the "limit" of\nan \\ upload: `5 MB`, $no more ü?']);
  expect(code).toBe(0);
  expect(out).toContain('Sources:\n  1. limits.md\n');
});

test('where a key is wanted it says so, and takes one', async () => {
  const closed = await start({ ASKDOCS_API_KEYS: 'first-key-1' });
  onTestFinished(() => closed.close());
  const without = await demo([closed.url, QUESTION]);
  expect(without.code).toBe(69);
  expect(without.err).toMatch(/^demo\.sh: the service refused: Send a key/);
  expect((await demo([closed.url, QUESTION], { ASKDOCS_API_KEY: 'first-key-1' })).code).toBe(0);
});

test('nobody there: one sentence', async () => {
  const { code, out, err } = await demo(['http://127.0.0.1:1']);
  expect([code, out]).toEqual([69, '']);
  expect(err).toBe(
    'demo.sh: nothing answers at http://127.0.0.1:1. Start the demo with npm start, or name the service: scripts/demo.sh URL\n',
  );
});

test.each([
  [
    'a stream that ends with an error',
    'event: error\ndata: {"stage":"generation","message":"The model broke off."}\n\n',
    /the service failed: The model broke off\./,
  ],
  ['a stream that just ends', 'event: token\ndata: {"text":"half "}\n\n', /ended without done and without error/],
])('%s is said', async (_name, stream, message) => {
  const server = createServer((req, res) => res.end(req.url === '/ask' ? stream : '{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { code, err } = await demo([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
  expect(code).toBe(69);
  expect(err).toMatch(message);
});

test('nothing in it is newer than bash 3.2', () => {
  const text = readFileSync(SCRIPT, 'utf8').replace(/#.*$/gm, '');
  expect(text).not.toMatch(/\$\{\w+[,^]{1,2}|\bmapfile\b|\breadarray\b|declare -A|local -n|\|&|&>>|\$\{\w+@|coproc/);
});
