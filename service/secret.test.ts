import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLogger } from './log.ts';
import { loadSecret } from './secret.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'askdocs-secret-'));
  for (const name of ['docs.db', 'a.db', 'b.db', 'x.db']) writeFileSync(join(folder, name), '');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('is drawn once, kept beside the index, and readable by its owner alone', () => {
  const db = join(folder, 'docs.db');
  const drawn = loadSecret(db, silentLogger);
  expect(drawn).toHaveLength(32);
  expect(statSync(`${db}.secret`).mode & 0o777).toBe(0o600);
  expect(Buffer.from(loadSecret(db, silentLogger))).toEqual(Buffer.from(drawn));
  expect(readFileSync(`${db}.secret`, 'utf8').trim()).toBe(Buffer.from(drawn).toString('hex'));
});

it('differs from index to index', () => {
  expect(loadSecret(join(folder, 'a.db'), silentLogger)).not.toEqual(loadSecret(join(folder, 'b.db'), silentLogger));
});

it('without an index it lasts for the process; a damaged one is said and not used', () => {
  const nowhere = join(folder, 'no', 'docs.db');
  expect(loadSecret(nowhere, silentLogger)).toHaveLength(32);
  expect(existsSync(join(folder, 'no'))).toBe(false);
  loadSecret(join(folder, 'none.db'), silentLogger);
  expect(existsSync(join(folder, 'none.db.secret'))).toBe(false);
  writeFileSync(join(folder, 'x.db.secret'), 'short');
  const lines: string[] = [];
  expect(loadSecret(join(folder, 'x.db'), { ...silentLogger, warn: (message) => lines.push(message) })).toHaveLength(
    32,
  );
  expect(lines).toHaveLength(1);
});
