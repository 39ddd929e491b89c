import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openForReading } from './db.ts';
import { indexRecords } from './ingest/index.ts';
import { affordable, createLexical, postingsOf } from './lexical.ts';
import { type Folder, tempFolder } from './testing/fixtures.ts';
import { parseQuery } from './text/query.ts';

describe('the lexical half', () => {
  let folder: Folder;
  let db: Db;

  beforeAll(async () => {
    folder = tempFolder();
    // Every third passage has "server", every fifth "timeout", every fortieth "keepalive".
    const records = Array.from({ length: 400 }, (_, at) => ({
      id: `d${at}`,
      title: at % 7 === 0 ? 'server' : 'other',
      text: [
        `passage ${at}`,
        at % 3 === 0 ? 'server' : '',
        at % 5 === 0 ? 'timeout '.repeat(1 + (at % 4)) : '',
        at % 40 === 0 ? 'keepalive' : '',
      ].join(' '),
    }));
    await indexRecords({ db: folder.db, records });
    db = openForReading(folder.db);
  });
  afterAll(() => {
    db.close();
    folder.remove();
  });

  const query = parseQuery('keepalive timeout server');
  const everything = () => createLexical(db, () => 1e9).search(query, 1000);

  it('scores by all words what the rarest ones found, where the index is too large to score every match', () => {
    const all = new Map(everything().map(({ id, score }) => [id, score]));
    const found = createLexical(db, () => 20).search(query, 1000);
    expect(found).toHaveLength(10);
    for (const { id, score } of found) expect(score).toBeCloseTo(all.get(id) ?? 0, 10);
    expect(found.map(({ id }) => id)).toEqual([...all.keys()].filter((id) => found.some((one) => one.id === id)));
  });
});

describe('the words that find candidates', () => {
  const frequency = (token: string) => ({ rare: 3, common: 500, everywhere: 900, unknown: 0 })[token] ?? 0;

  it('are all of them where one pass over their passages is cheap', () => {
    expect(affordable(['everywhere', 'rare', 'rare'], frequency, 500)).toEqual(['everywhere', 'rare', 'rare']);
  });

  it('are the rarest, repetitions kept, one that is known at least', () => {
    expect(affordable(['everywhere', 'rare', 'common', 'rare'], frequency, 510)).toEqual(['rare', 'common', 'rare']);
    expect(affordable(['everywhere', 'unknown'], frequency, 10)).toEqual(['everywhere', 'unknown']);
  });

  it('may stand in more passages of a larger index, up to a bound', () => {
    expect([100, 100_000, 10_000_000].map(postingsOf)).toEqual([4000, 15_000, 30_000]);
  });
});
