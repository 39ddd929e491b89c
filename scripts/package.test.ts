/** What is packed is enough: in a folder elsewhere, on files of one's own, every step of the documentation works. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { walk } from './testing/own-documents.ts';
import { pack, ROOT, unpack } from './testing/package.ts';

test('packed and unpacked in an empty folder: index, ask, doctor, init, eval, gate, serve; and it is as small as stated', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'askdocs-pack-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const packed = pack(folder);
  const stated = Number(/It is (\d+\.\d) MB/.exec(readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8'))?.[1]) * 1e6;
  expect(packed.bytes).toBeLessThan(2 * stated);
  expect(packed.bytes).toBeGreaterThan(stated / 2);
  const home = unpack(packed);
  onTestFinished(() => rmSync(home.folder, { recursive: true, force: true }));
  expect(home.askdocs('--version').stdout.trim()).toBe(
    JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version,
  );
  await walk(home.folder);
}, 300_000);
