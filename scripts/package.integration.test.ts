/** The same with npm itself: the package is installed from its file, its dependencies from the registry. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { walk } from './testing/own-documents.ts';
import { pack } from './testing/package.ts';

test('npm install in an empty folder, then every step of the documentation', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'askdocs-install-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { file } = pack(folder);
  writeFileSync(join(folder, 'package.json'), '{"name": "home", "private": true}\n');
  execFileSync('npm', ['install', '--onnxruntime-node-install=skip', file], { cwd: folder, stdio: 'ignore' });
  await walk(folder);
}, 900_000);
