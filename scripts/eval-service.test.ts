import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { standInService } from '../service/testing/service.ts';
import { serviceFor } from './eval-service.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'askdocs-test-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('an index that cannot be searched stops the evaluation before anything is asked', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const db = join(dir, 'docs.db');
  writeFileSync(db, 'this is no database, but long enough to be looked at as one: '.repeat(40));
  const started = serviceFor({ db, slots: 1, runs: 1 }, new AbortController().signal);
  await expect(started).rejects.toThrow(/cannot answer, so nothing was asked\. Retrieval does not work/);
  vi.restoreAllMocks();
});

const signal = new AbortController().signal;

test('a service at --url that cannot answer stops the evaluation too, also when it could at its start', async () => {
  const broken = await standInService({ mode: 'iserror' });
  const late = await standInService({ mode: 'iserror', env: { ASKDOCS_WARMUP: 'false' } });
  for (const { url } of [broken, late]) {
    const asked = serviceFor({ url, slots: 1, runs: 1 }, signal);
    await expect(asked).rejects.toThrow(/cannot answer, so nothing was asked\. Retrieval does not work/);
  }
  await Promise.all([broken.close(), late.close()]);
});

test('what a service at --url does less well is said, and it is asked', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const service = await standInService({ mode: 'wordy' });
  expect(await serviceFor({ url: `${service.url}/`, slots: 1, runs: 1 }, signal)).toMatchObject({ db: null });
  const text = said.mock.calls.flat().join('');
  vi.restoreAllMocks();
  expect(text).toContain('says: Search goes by words alone. The embedder cannot run: no such file.');
  await service.close();
});

test('an endpoint of another API, and a service without /readyz, are asked as they are', async () => {
  expect((await serviceFor({ url: 'http://127.0.0.1:9/v1', api: 'openai', slots: 1, runs: 1 }, signal)).db).toBeNull();
  const other = createServer((_req, res) => void res.writeHead(404).end('no'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  expect((await serviceFor({ url, slots: 1, runs: 1 }, signal)).url).toBe(url);
  other.closeAllConnections();
  other.close();
});
