/** What indexing keeps to, whoever keeps the index: seen through a reader, never by its tables. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { indexPaths, indexRecords } from '../ingest/index.ts';
import { openStore } from '../store.ts';
import { openReader, openWriter, writeMeta } from '../stores/open.ts';
import { DOCS, type Folder, fakeEmbedder, tempFolder } from './fixtures.ts';
import type { Place } from './place.ts';

/** `open` gives a place that can keep indexes. */
export function describeIndexing(name: string, open: () => Promise<Place>): void {
  describe(`indexing into ${name}`, () => {
    let place: Place;
    let folder: Folder;
    let db: string;
    beforeAll(async () => {
      place = await open();
    });
    afterAll(() => place.close());
    beforeEach(() => {
      folder = tempFolder(DOCS);
      db = place.fresh();
      return () => folder.remove();
    });
    const index = (more: object = {}) => indexPaths({ roots: [folder.docs], db, ...more });
    const read = async <T>(work: (reader: Awaited<ReturnType<typeof openReader>>) => Promise<T>): Promise<T> => {
      const reader = await openReader(db, { dense: false });
      return work(reader).finally(() => reader.close());
    };
    const meta = () => read((reader) => reader.meta());
    const sources = async () => (await read((reader) => reader.sources())).map(({ source }) => source);
    const find = async (query: string, options: object = {}) => {
      const store = await openStore(db, options);
      const found = await store.search({ query, k: 10, gate: false });
      store.close();
      return found.passages;
    };

    it('a second run of unchanged files does nothing', async () => {
      await index();
      const before = await meta();
      expect(await index()).toMatchObject({ added: 0, changed: 0, removed: 0, unchanged: 3, embedded: 0 });
      expect(await meta()).toEqual(before);
    });

    it('leaves no passage of deleted, shortened and changed files, and keeps a calibrated gate', async () => {
      await index({ embedder: fakeEmbedder() });
      await writeMeta(db, { gate_sum: '0.9' });
      rmSync(join(folder.docs, 'pool.md'));
      folder.write({ 'server.md': '# Server\n\nNothing but wombats.\n' });
      const embedder = fakeEmbedder();
      expect(await index({ embedder })).toMatchObject({ added: 0, changed: 1, removed: 1, unchanged: 1, embedded: 1 });
      expect(await sources()).toEqual(['logging.md', 'server.md']);
      for (const query of ['keepAliveTimeout', 'origin pool', 'payload']) expect(await find(query)).toEqual([]);
      expect(await find('wombats')).toHaveLength(1);
      expect(await meta()).toMatchObject({ files: '2', passages: '2', gate_sum: '0.9' });
      expect((await find('redact passwords', { embedder }))[0]).toMatchObject({ source: 'logging.md' });
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
      expect(await sources()).toEqual(['logging.md', 'moved.md', 'server.md']);
    });

    it('adds vectors to an index without any', async () => {
      await index();
      const embedder = fakeEmbedder();
      expect(await index({ embedder })).toMatchObject({
        added: 0,
        changed: 0,
        unchanged: 3,
        mode: 'hybrid',
        embedded: 3,
      });
      expect((await find('payload bytes', { embedder }))[0]?.cosine).toBeGreaterThan(0.1);
      expect(await meta()).toMatchObject({ passages: '3', files: '3', dim: '64' });
    });

    it('readers see the old one until the new one is whole', async () => {
      const embedder = fakeEmbedder();
      await index({ embedder });
      const store = await openStore(db, { embedder });
      const ask = async () => (await store.search({ query: 'payload bytes server', k: 5, gate: false })).passages;
      const before = await ask();
      folder.write({
        'server.md': '# Server\n\nAll new payload.',
        'more.md': '# More\n\npayload bytes server payload',
      });
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
      await place.settle();
      expect((await ask()).map(({ source }) => source)).toEqual(expect.arrayContaining(['more.md', 'server.md']));
      store.close();
    });

    it('a second writer is refused with a sentence', async () => {
      const options = { embedder: null, staging: '1 1', rebuild: false, check: () => undefined };
      const writer = await openWriter(db, options);
      await expect(index()).rejects.toMatchObject({ code: 'busy', message: /Another askdocs index is writing/ });
      await expect(openWriter(db, options)).rejects.toMatchObject({ code: 'busy' });
      await writer.close();
      expect(await index()).toMatchObject({ added: 3 });
    });

    it('of writers that start together one gets through, the others are refused or come after it', async () => {
      await index();
      for (let round = 0; round < 3; round++) {
        const ends = await Promise.allSettled([index({ rebuild: true }), index({ rebuild: true })]);
        expect(ends.map(({ status }) => status)).toContain('fulfilled');
        for (const end of ends)
          if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'busy', message: /is writing/ });
        expect(await index()).toMatchObject({ added: 0, changed: 0, unchanged: 3 });
      }
    });

    it('a failed run changes nothing, keeps what it embedded, and the next one goes on from there', async () => {
      await index({ embedder: fakeEmbedder() });
      const before = await meta();
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
      expect(await meta()).toEqual(before);
      expect(await find('number')).toEqual([]);
      expect(await index({ embedder: fakeEmbedder() })).toMatchObject({ added: 100, unchanged: 3, embedded: 100 - 64 });
      expect(await find('number 77')).not.toEqual([]);
    });

    it('what an interrupted run has staged and is gone by now is forgotten', async () => {
      await index();
      const writer = await openWriter(db, { embedder: null, staging: '1 1', rebuild: false, check: () => undefined });
      await writer.stage({
        source: 'ghost.md',
        hash: 'x',
        title: 'Ghost',
        chunks: [{ heading: [], start: 0, end: 5, text: 'ghost' }],
      });
      await writer.close();
      expect(await index()).toMatchObject({ unchanged: 3, removed: 0 });
      expect(await find('ghost')).toEqual([]);
      expect(await sources()).toHaveLength(3);
    });

    it('kill -9 at any moment loses nothing that was there, and the next run completes', {
      timeout: 280_000,
    }, async () => {
      const { files, afterMs } = place.kills;
      await index();
      folder.write(
        Object.fromEntries(
          Array.from({ length: files }, (_, at) => [
            `k${at}.md`,
            `# File ${at}\n\n${`Word${at} and more. `.repeat(60)}`,
          ]),
        ),
      );
      const cli = fileURLToPath(new URL('./index-folder.ts', import.meta.url));
      for (const delay of afterMs) {
        const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), cli, folder.docs, db], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const exit = once(child, 'exit');
        await once(child.stdout, 'data');
        await sleep(delay);
        child.kill('SIGKILL');
        await exit;
        expect((await find('payload'))[0]?.source).toBe('server.md');
        expect(['3', String(files + 3)]).toContain((await meta()).files);
      }
      await index();
      expect(await sources()).toHaveLength(files + 3);
      expect(await find('word77')).toHaveLength(2);
    });

    it('an empty file and one with a name of every kind are sources like others', async () => {
      folder.write({ 'empty.md': '', 'a "quoted" \\ näme 名.md': '# Odd\n\nA zebra.' });
      await index();
      folder.write({ 'new.md': '# New\n\nA yak.' });
      expect(await index()).toMatchObject({ added: 1 });
      expect(await sources()).toEqual(expect.arrayContaining(['a "quoted" \\ näme 名.md']));
      expect((await find('zebra'))[0]?.source).toBe('a "quoted" \\ näme 名.md');
      expect((await find('yak'))[0]?.source).toBe('new.md');
    });

    it('records are sources named by their id', async () => {
      const records = [
        { id: 'd1', title: 'Body limit', text: 'At most 1048576 bytes.' },
        { id: 'd2', title: 'Other', text: 'Nothing.' },
      ];
      expect(await indexRecords({ db, records })).toMatchObject({ files: 2, passages: 2 });
      expect((await find('body limit'))[0]).toMatchObject({
        source: 'd1',
        title: 'Body limit',
        text: 'At most 1048576 bytes.',
      });
    });
  });
}
