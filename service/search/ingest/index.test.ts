import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openForReading } from '../db.ts';
import { lockForWriting } from '../lock.ts';
import { openStore } from '../store.ts';
import { DOCS, type Folder, fakeEmbedder, tempFolder } from '../testing/fixtures.ts';
import { indexPaths, indexRecords } from './index.ts';

let folder: Folder;
beforeEach(() => {
  folder = tempFolder(DOCS);
});
afterEach(() => folder.remove());
const index = (more: object = {}) => indexPaths({ roots: [folder.docs], db: folder.db, ...more });
const rows = (sql: string) => {
  const db = openForReading(folder.db);
  try {
    return db.prepare(sql).all() as Record<string, unknown>[];
  } finally {
    db.close();
  }
};
const sources = () => rows('SELECT source FROM files ORDER BY source').map(({ source }) => source);
const find = async (query: string, options: object = {}) => {
  const store = await openStore(folder.db, options);
  const found = await store.search({ query, k: 10, gate: false });
  store.close();
  return found.passages;
};

describe('what is read', () => {
  it('finds Markdown and text in subfolders, and leaves out hidden folders and links that lead out', async () => {
    folder.write({
      'a/b.txt': 'plain words about zebras',
      '.git/c.md': '# hidden',
      'node_modules/x/d.md': '# no',
      'e.png': 'x',
    });
    writeFileSync(join(folder.root, 'secret.md'), '# secret');
    symlinkSync(join(folder.root, 'secret.md'), join(folder.docs, 'out.md'));
    expect(await index()).toMatchObject({ files: 4, added: 4, ignored: 1, skipped: [] });
    expect(sources()).toEqual(['a/b.txt', 'logging.md', 'pool.md', 'server.md']);
  });

  it('names the sources of several roots by the root', async () => {
    const other = tempFolder({ 'server.md': '# Other' });
    await indexPaths({ roots: [folder.docs, join(other.docs, 'server.md')], db: folder.db });
    expect(sources()).toEqual(['docs/logging.md', 'docs/pool.md', 'docs/server.md', 'server.md']);
    other.remove();
  });

  it('reports a binary file and goes on', async () => {
    folder.write({ 'bad.md': 'a\0b' });
    expect(await index()).toMatchObject({ files: 3, skipped: [{ source: 'bad.md', reason: 'is binary, not text' }] });
  });

  it('says what is wrong when there is nothing to read', async () => {
    const empty = tempFolder();
    const at = (path: string) => indexPaths({ roots: [path], db: folder.db });
    await expect(at(empty.docs)).rejects.toMatchObject({
      code: 'bad_input',
      message: `There are no files in ${empty.docs}.`,
    });
    await expect(at('/no/such')).rejects.toMatchObject({
      code: 'bad_input',
      message: 'There is no file or folder /no/such.',
    });
    empty.write({ 'a.bin': 'x' });
    await expect(at(empty.docs)).rejects.toThrow(/None of the 1 files in .* can be read; askdocs reads \.md,/);
    expect(existsSync(folder.db)).toBe(false);
    empty.remove();
  });
});

describe('a second run', () => {
  it('of unchanged files does nothing', async () => {
    await index();
    const before = rows('SELECT * FROM meta');
    expect(await index()).toMatchObject({ added: 0, changed: 0, removed: 0, unchanged: 3, embedded: 0 });
    expect(rows('SELECT * FROM meta')).toEqual(before);
  });

  it('leaves no passage of deleted, shortened and changed files', async () => {
    await index({ embedder: fakeEmbedder() });
    rmSync(join(folder.docs, 'pool.md'));
    folder.write({ 'server.md': '# Server\n\nNothing but wombats.\n' });
    expect(await index({ embedder: fakeEmbedder() })).toMatchObject({ added: 0, changed: 1, removed: 1, unchanged: 1 });
    expect(sources()).toEqual(['logging.md', 'server.md']);
    for (const query of ['keepAliveTimeout', 'origin pool', 'payload']) expect(await find(query)).toEqual([]);
    expect(await find('wombats')).toHaveLength(1);
    expect(rows('SELECT 1 FROM words').length).toBe(rows('SELECT 1 FROM passages').length);
    expect(rows('SELECT 1 FROM embeddings')).toHaveLength(2);
  });

  it('embeds again only what is new, also when a file moved', async () => {
    const embedder = fakeEmbedder();
    const first = await index({ embedder });
    expect(first.embedded).toBe(first.passages);
    rmSync(join(folder.docs, 'pool.md'));
    folder.write({
      'moved.md': DOCS['pool.md'],
      'logging.md': `${DOCS['logging.md']}\n## Levels\n\n${'Levels are numbers. '.repeat(48)}`,
    });
    expect((await index({ embedder })).embedded).toBe(1);
  });

  it('adds vectors to an index without any', async () => {
    await index();
    expect(await index({ embedder: fakeEmbedder() })).toMatchObject({
      added: 0,
      changed: 0,
      unchanged: 3,
      mode: 'hybrid',
      embedded: 3,
    });
  });
});

describe('while an index is being written', () => {
  it('readers see the old one until the new one is whole', async () => {
    const embedder = fakeEmbedder();
    await index({ embedder });
    const store = await openStore(folder.db, { embedder });
    const ask = async () => (await store.search({ query: 'payload bytes server', k: 5, gate: false })).passages;
    const before = await ask();
    folder.write({ 'server.md': '# Server\n\nAll new payload.', 'more.md': '# More\n\npayload bytes server payload' });
    const during: unknown[] = [];
    const watching = {
      ...embedder,
      embedPassages: async (texts: readonly string[]) => {
        during.push(await ask());
        return embedder.embedPassages(texts);
      },
    };
    await index({ embedder: watching });
    expect(during).toEqual([before]);
    expect((await ask()).map(({ source }) => source)).toEqual(expect.arrayContaining(['more.md', 'server.md']));
    store.close();
  });

  it('a second writer is refused with a sentence', async () => {
    const unlock = lockForWriting(folder.db);
    await expect(index()).rejects.toMatchObject({ code: 'busy', message: /Another askdocs index is writing/ });
    unlock();
    expect(await index()).toMatchObject({ added: 3 });
  });

  it('a stopped run keeps what it embedded, and the next one goes on from there', async () => {
    folder.write(
      Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}.md`, `# File ${at}\n\nNumber ${at}.`])),
    );
    let groups = 0;
    const failing = fakeEmbedder({
      fail: () => {
        if (++groups > 1) throw new Error('gone');
      },
    });
    await expect(index({ embedder: failing })).rejects.toThrow('gone');
    const embedder = fakeEmbedder();
    expect(await index({ embedder })).toMatchObject({ added: 103, embedded: 103 - 64 });
  });

  it('kill -9 at any moment loses nothing that was there, and the next run completes', async () => {
    await index();
    folder.write(
      Object.fromEntries(
        Array.from({ length: 400 }, (_, at) => [`k${at}.md`, `# File ${at}\n\n${`Word${at} and more. `.repeat(60)}`]),
      ),
    );
    const cli = fileURLToPath(new URL('../testing/index-folder.ts', import.meta.url));
    for (const delay of [0, 60, 120, 240]) {
      const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), cli, folder.docs, folder.db], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const exit = once(child, 'exit');
      await once(child.stdout, 'data');
      await sleep(delay);
      child.kill('SIGKILL');
      await exit;
      expect((await find('payload'))[0]?.source).toBe('server.md');
      const [{ published }] = rows("SELECT value AS published FROM meta WHERE key = 'files'") as [
        { published: string },
      ];
      expect(['3', '403']).toContain(published);
    }
    await index();
    expect(sources()).toHaveLength(403);
    expect(await find('word77')).toHaveLength(2);
  });
});

describe('records', () => {
  it('are sources named by their id', async () => {
    const records = [
      { id: 'd1', title: 'Body limit', text: 'At most 1048576 bytes.' },
      { id: 'd2', title: 'Other', text: 'Nothing.' },
    ];
    expect(await indexRecords({ db: folder.db, records })).toMatchObject({ files: 2, passages: 2 });
    expect((await find('body limit'))[0]).toMatchObject({
      source: 'd1',
      title: 'Body limit',
      text: 'At most 1048576 bytes.',
    });
    await expect(indexRecords({ db: folder.db, records: [...records, ...records] })).rejects.toThrow(
      'Two records have the id d1.',
    );
  });
});
