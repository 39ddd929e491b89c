/** A stand-in called `llama-server` in PATH takes the place of the real one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { startLlama } from './llama-phase.ts';

const SERVER = `#!/usr/bin/env node
const { createServer } = require('node:http');
const port = Number(process.argv[process.argv.indexOf('--port') + 1]);
let ready = false;
setTimeout(() => { ready = true; }, 300);
createServer((request, response) => response.writeHead(ready ? 200 : 503).end('{}')).listen(port, '127.0.0.1');
`;
const BROKEN = `#!/usr/bin/env node
console.error('error: failed to load model: not enough memory');
process.exit(3);
`;

function standIn(script: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'askdocs-llama-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'llama-server'), script);
  chmodSync(join(dir, 'llama-server'), 0o755);
  vi.stubEnv('PATH', `${dir}${delimiter}${process.env.PATH}`);
  const gguf = join(dir, 'Some-Model.gguf');
  writeFileSync(gguf, '');
  return gguf;
}

const idle = () => new AbortController().signal;

afterEach(() => vi.unstubAllEnvs());

test('a server is waited for until it is ready, and gone after stop', async () => {
  const llama = await startLlama(standIn(SERVER), 2, idle());
  expect(llama).toMatchObject({ model: 'Some-Model', slots: 2 });
  const health = llama.baseUrl.replace('/v1', '/health');
  expect((await fetch(health)).status).toBe(200);
  await llama.stop();
  await expect(fetch(health)).rejects.toThrow();
});

test.each([
  ['the server', ''],
  ['a server that ends when it likes', "process.on('SIGTERM', () => undefined);"],
])('%s does not outlive a killed parent', async (_name, stubborn) => {
  const gguf = standIn(SERVER + stubborn);
  const code = `import { startLlama } from ${JSON.stringify(new URL('./llama-phase.ts', import.meta.url).href)};
    const llama = await startLlama(${JSON.stringify(gguf)}, 1, new AbortController().signal);
    console.log(llama.baseUrl);
    setInterval(() => undefined, 1000);`;
  const args = ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', code];
  const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = (await once(parent.stdout, 'data')) as [Buffer];
  const health = String(url).trim().replace('/v1', '/health');
  expect((await fetch(health)).status).toBe(200);
  parent.kill('SIGKILL');
  await expect
    .poll(() =>
      fetch(health).then(
        () => 'alive',
        () => 'gone',
      ),
    )
    .toBe('gone');
});

test('one that does not come up is a sentence with its last words', async () => {
  await expect(startLlama(standIn(BROKEN), 2, idle())).rejects.toThrow(
    /the server for Some-Model.gguf did not come up: it ended with code 3\n[\s\S]*not enough memory/,
  );
});

test('one that is never ready is stopped after its time', async () => {
  await expect(startLlama(standIn(SERVER.replace('300', '60000')), 1, idle(), 600)).rejects.toThrow(
    'it was not ready after 1 s',
  );
});

test('a model file that is not there is refused at once', async () => {
  await expect(startLlama('/nowhere/x.gguf', 1, idle())).rejects.toThrow('there is no model file /nowhere/x.gguf');
});
