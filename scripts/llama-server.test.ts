/** What scripts/llama-server.sh refuses, and how it starts a llama-server that is in PATH. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('./llama-server.sh', import.meta.url));
let folder: string;
let model: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'askdocs-llama-'));
  model = join(folder, 'my model.gguf');
  writeFileSync(model, 'GGUF');
  // Says how it was called, one argument a line.
  writeFileSync(join(folder, 'llama-server'), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(args: string[], env: Record<string, string> = {}) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile('bash', [SCRIPT, ...args], { env: { PATH: `${folder}:${process.env.PATH}`, ...env } }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}
const called = ({ out }: { out: string }) => out.trim().split('\n').join(' ');

it('starts llama-server from PATH, the context of each slot times the slots', async () => {
  const result = await run([model, '--slots', '3', '--context', '2000', '--port', '9999']);
  expect(called(result)).toBe(`-m ${model} -c 6000 -np 3 --host 127.0.0.1 --port 9999 --slots --metrics --no-webui`);
});

it('takes four slots, 4096 tokens each and port 8081 by default, and the model of ASKDOCS_LLM_GGUF', async () => {
  expect(called(await run([], { ASKDOCS_LLM_GGUF: model }))).toMatch(/-c 16384 -np 4 --host 127\.0\.0\.1 --port 8081/);
});

it.each([
  [[], /name a GGUF file, or tiny/],
  [['/no/such.gguf'], /there is no file \/no\/such\.gguf/],
  [['x.gguf', '--slots', '0'], /--slots is "0"; it must be a whole number above 0/],
  [['x.gguf', '--port', 'many'], /--port is "many"/],
  [['x.gguf', '--slots'], /--slots wants a value/],
  [['--fast'], /there is no option --fast/],
])('%j: exit 64 with a sentence', async (args, message) => {
  const { code, err } = await run(args);
  expect(code).toBe(64);
  expect(err).toMatch(message);
});

it('explains itself', async () => {
  expect((await run(['--help'])).out).toContain('scripts/llama-server.sh MODEL.gguf|tiny');
});
