import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCliIn } from '../testing/run-cli.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'askdocs-index-'));
  mkdirSync(join(folder, 'docs/drafts'), { recursive: true });
  writeFileSync(join(folder, 'docs/a.md'), '# About\n\nWombats.\n');
  writeFileSync(join(folder, 'docs/drafts/b.md'), '# B\n\nWords.\n');
  writeFileSync(
    join(folder, 'docs/r.jsonl'),
    '{"id":"r1","title":"R","text":"record words","url":"https://r.example/1"}\n{"id":2,"text":"more"}\nno json\n{"id":"a.md","text":"x"}\n',
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]) => runCliIn(folder, args, { ASKDOCS_EMBED_MODEL: 'none' });

it('indexes records beside files, keeps the base URL, and lists the sources', async () => {
  const first = await run('index', 'docs', '--db', 'd.db', '--exclude', 'drafts', '--base-url', 'https://d.example/v1');
  expect(first.code).toBe(0);
  expect(first.out).toContain('Indexed 3 new: now 3 files, 3 passages in d.db');
  expect(first.out).toContain('  formats: 2 records, 1 Markdown\n');
  expect(first.out).toContain('  skipped r.jsonl: line 3 is no JSON, and 1 more: each line has to be a record');
  expect(first.out).toContain('  left out: 1 excluded\n');
  const second = await run('index', 'docs', '--db', 'd.db', '--exclude=drafts', '--format', 'json');
  expect(JSON.parse(second.out)).toMatchObject({
    unchanged: 3,
    added: 0,
    left_out: { excluded: 1 },
    formats: { records: 2 },
  });
  const list = JSON.parse((await run('sources', '--db', 'd.db', '--format', 'json')).out);
  expect(list.sources).toEqual([
    { source: '2', title: '2', passages: 1, url: 'https://d.example/v1/2' },
    { source: 'a.md', title: 'About', passages: 1, url: 'https://d.example/v1/a.md' },
    { source: 'r1', title: 'R', passages: 1, url: 'https://r.example/1' },
  ]);
  await run('index', 'docs', '--db', 'd.db', '--base-url', '');
  const table = (await run('sources', '--db', 'd.db')).out;
  expect(table).toMatch(/^drafts\/b\.md +1 {2}B$/m);
  expect(table).toContain('4 sources');
});

it.each([
  [['docs', '--base-url', 'javascript:alert(1)'], /--base-url is "javascript:alert\(1\)"; give an address/],
  [['docs', '--include', '*.pdf'], /There are no files in docs \(left out: /],
  [['docs', '--exclude', '/'], /"\/" is no pattern/],
])('index %j ends with 64 and a sentence', async (args, sentence) => {
  const { code, err } = await run('index', ...args, '--db', 'd.db');
  expect(code).toBe(64);
  expect(err).toMatch(sentence);
});
