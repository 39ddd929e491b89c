import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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
