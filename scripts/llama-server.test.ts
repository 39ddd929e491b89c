/** What scripts/llama-server.sh refuses, and how it starts a llama-server that is in PATH. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
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

it('with --with-parent it ends with its input, passes SIGTERM on and gives the code of the server', async () => {
  const server = '#!/bin/sh\ntrap "echo told; exit 7" TERM\necho up\nwhile :; do sleep 0.05; done\n';
  const bin = mkdtempSync(join(tmpdir(), 'askdocs-llama-'));
  writeFileSync(join(bin, 'llama-server'), server, { mode: 0o755 });
  const start = async () => {
    const child = spawn('bash', [SCRIPT, model, '--with-parent'], {
      env: { PATH: `${bin}:${process.env.PATH}` },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const out: string[] = [];
    child.stdout.on('data', (data) => out.push(String(data)));
    await once(child.stdout, 'data');
    return { child, out, ended: once(child, 'close') };
  };
  const told = await start();
  told.child.kill('SIGTERM');
  expect([(await told.ended)[0], told.out.join('')]).toEqual([7, 'up\ntold\n']);
  const orphan = await start();
  orphan.child.stdin.end();
  expect([(await orphan.ended)[0], orphan.out.join('')]).toEqual([137, 'up\n']);
  rmSync(bin, { recursive: true });
});

it('explains itself', async () => {
  expect((await run(['--help'])).out).toContain('scripts/llama-server.sh MODEL.gguf|tiny');
});
