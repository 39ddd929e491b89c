import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from './free-port.ts';
import { runAskdocs } from './run-askdocs.ts';

const runner = new URL('run-askdocs.ts', import.meta.url).href;
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'askdocs-test-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('the exit code is that of the command', async () => {
  expect(await runAskdocs(['frob'])).toBe(64);
  expect(await runAskdocs(['gate', '--help'])).toBe(0);
});

test('a SIGTERM goes on to the command, which ends well; nothing is left running', async () => {
  writeFileSync(join(dir, 'a.md'), '# Limits\n\nThe limit is 5 MB.\n');
  const db = join(dir, 'docs.db');
  expect(await runAskdocs(['index', dir, '--db', db])).toBe(0);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/healthz`;
  const code = `import { runAskdocs } from '${runner}';
    process.exitCode = await runAskdocs(['serve', '--db', '${db}', '--port', '${port}']);`;
  const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], { stdio: 'ignore' });
  const answers = () =>
    fetch(url)
      .then((r) => r.ok)
      .catch(() => false);
  await expect.poll(answers, { timeout: 20_000 }).toBe(true);
  parent.kill('SIGTERM');
  expect(await once(parent, 'exit')).toEqual([0, null]);
  expect(await answers()).toBe(false);
});
