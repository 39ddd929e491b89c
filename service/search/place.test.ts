import { describe, expect, it } from 'vitest';
import { openForReading, openForWriting } from './db.ts';
import { indexPaths, indexRecords } from './ingest/index.ts';
import { placeFields } from './place.ts';
import { openStore } from './store.ts';
import { DOCS, tempFolder } from './testing/fixtures.ts';

describe('the place of a passage', () => {
  it.each([
    [null, undefined, {}],
    ['{"line":3}', undefined, { line: 3 }],
    ['{"line":3}', 'https://d.example/v1', { line: 3, url: 'https://d.example/v1/a%20b/c%231%28x%29.pdf' }],
    ['{"page":2}', 'https://d.example/', { page: 2, url: 'https://d.example/a%20b/c%231%28x%29.pdf#page=2' }],
    ['{"anchor":"the \\"id"}', 'https://d.example/', { url: 'https://d.example/a%20b/c%231%28x%29.pdf#the%20%22id' }],
    ['{"url":"https://own.example"}', 'https://d.example/', { url: 'https://own.example' }],
  ])('%s with the base %s is %j', (kept, base, fields) => {
    expect(placeFields('a b/c#1(x).pdf', kept, base)).toEqual(fields);
  });

  it('comes with what is found, and changes with the base URL alone', async () => {
    const folder = tempFolder(DOCS);
    const first = async () => {
      const store = await openStore(folder.db);
      const { passages } = await store.search({ query: 'keepAliveTimeout', k: 1, gate: false });
      store.close();
      return passages[0];
    };
    await indexPaths({ roots: [folder.docs], db: folder.db });
    expect(await first()).toMatchObject({ source: 'server.md', line: 1 });
    expect(await first()).not.toHaveProperty('url');
    const again = await indexPaths({ roots: [folder.docs], db: folder.db, baseUrl: 'https://d.example' });
    expect(again).toMatchObject({ unchanged: 3, changed: 0 });
    expect(await first()).toMatchObject({ url: 'https://d.example/server.md' });
    await indexPaths({ roots: [folder.docs], db: folder.db });
    expect(await first()).toMatchObject({ url: 'https://d.example/server.md' });
    folder.remove();
  });
});

describe('an index from before places were kept', () => {
  it('is refused for reading with the command that helps, and brought up to date by writing', async () => {
    const folder = tempFolder();
    const records = [{ id: 'a', title: '', text: 'some words' }];
    await indexRecords({ db: folder.db, records });
    const db = openForWriting(folder.db);
    db.exec("ALTER TABLE passages DROP COLUMN place; UPDATE meta SET value = '2' WHERE key = 'schema'");
    db.close();
    expect(() => openForReading(folder.db)).toThrow(
      /made by an older version of askdocs; bring it up to date with askdocs index/,
    );
    expect(await indexRecords({ db: folder.db, records })).toMatchObject({ unchanged: 1 });
    const store = await openStore(folder.db);
    expect((await store.search({ query: 'words', k: 1, gate: false })).passages[0]).toMatchObject({ source: 'a' });
    store.close();
    folder.remove();
  });
});
