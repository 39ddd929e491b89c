import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildCorpus } from './build-corpus.ts';

let dir: string;
let archive: string;
let integrity: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'askdocs-test-'));
  mkdirSync(join(dir, 'package/docs/api'), { recursive: true });
  writeFileSync(join(dir, 'package/docs/api/a.md'), '# A\n');
  archive = join(dir, 'a.tgz');
  execFileSync('tar', ['-czf', archive, '-C', dir, 'package']);
  integrity = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('takes the docs folder of a package under the package name, once', async () => {
  let fetched = 0;
  const build = () =>
    buildCorpus(join(dir, 'corpus'), [{ name: 'a', version: '1.0.0', integrity }], async () => {
      fetched++;
      return archive;
    });
  expect(await build()).toEqual({ folder: join(dir, 'corpus'), built: true });
  expect(readFileSync(join(dir, 'corpus/a/api/a.md'), 'utf8')).toBe('# A\n');
  expect(await build()).toEqual({ folder: join(dir, 'corpus'), built: false });
  expect(fetched).toBe(1);
});

test('a wrong integrity stops with both values and changes nothing', async () => {
  const good = { name: 'a', version: '1.0.0', integrity };
  await buildCorpus(join(dir, 'corpus'), [good], async () => archive);
  const bad = { ...good, integrity: 'sha512-AAAA' };
  await expect(buildCorpus(join(dir, 'corpus'), [bad], async () => archive)).rejects.toThrow(
    /a@1\.0\.0 has integrity sha512-.*but sha512-AAAA is pinned/,
  );
  expect(readFileSync(join(dir, 'corpus/a/api/a.md'), 'utf8')).toBe('# A\n');
});

test('a package that cannot be fetched is named', async () => {
  const fetch = async () => Promise.reject(new Error('offline'));
  await expect(buildCorpus(join(dir, 'c'), [{ name: 'a', version: '1.0.0', integrity }], fetch)).rejects.toThrow(
    /Could not fetch a@1\.0\.0/,
  );
});
