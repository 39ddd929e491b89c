import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { findK6, readVersion } from './k6-program.ts';
import { fakeK6 } from './testing/fake-k6.ts';

const folder = mkdtempSync(join(tmpdir(), 'askdocs-k6-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each(['1.0.0', '1.8.1', '2.2.0'])('takes k6 %s', async (version) => {
  const path = fakeK6(folder, { version: `k6 v${version} (go1.26.8, linux/amd64)` });
  expect(await findK6(path)).toEqual({ path, version });
});

it('says how to install k6 when there is none', async () => {
  await expect(findK6(join(folder, 'nothing'))).rejects.toThrow(
    /k6 is needed and there is no program .*nothing; install it .*--k6 PATH or ASKDOCS_K6/,
  );
});

it('refuses a version that cannot run TypeScript, and names it', async () => {
  const path = fakeK6(folder, { version: 'k6 v0.49.0 (commit/1, go1.21)' });
  await expect(findK6(path)).rejects.toThrow(/is k6 0\.49\.0; .*need k6 1 or 2/);
});

it('refuses a program that is something else', async () => {
  await expect(findK6(fakeK6(folder, { version: 'dummy package 0.0.0' }))).rejects.toThrow(
    /is not k6: .*dummy package/,
  );
  await expect(findK6(process.execPath)).rejects.toThrow(/could not be run|is not k6/);
});

it('reads the version whatever the program is called', () => {
  expect(readVersion('k6 v2.2.0 (go1.26.8, linux/amd64)')).toBe('2.2.0');
  expect(readVersion('k6-custom v1.3.0 (commit/devel)\nExtensions:\n  x v9.9.9')).toBe('1.3.0');
  expect(readVersion('node v20.0.0')).toBeUndefined();
});
