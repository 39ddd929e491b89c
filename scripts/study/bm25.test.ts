import { afterAll, beforeAll, expect, it } from 'vitest';
import { openForReading } from '../../service/search/db.ts';
import { indexPaths } from '../../service/search/ingest/index.ts';
import { createLexical } from '../../service/search/lexical.ts';
import { DOCS, type Folder, tempFolder } from '../../service/search/testing/fixtures.ts';
import { parseQuery } from '../../service/search/text/query.ts';
import { createBm25 } from './bm25.ts';
import { readPassages } from './sets.ts';

let folder: Folder;

beforeAll(async () => {
  folder = tempFolder({
    ...DOCS,
    'more.md': '# More\n\nThe server logs how long a connection to the pool was open.\n',
  });
  await indexPaths({ roots: [folder.docs], db: folder.db });
});
afterAll(() => folder.remove());

it('is what the index computes', () => {
  const db = openForReading(folder.db);
  for (const question of [
    'idle connection',
    'secrets in the logger',
    'pool of connections, pool',
    'keepAliveTimeout',
  ]) {
    const expected = createLexical(db).search(parseQuery(question), 10);
    const found = createBm25(readPassages(folder.db)).search(question);
    expect(expected.length).toBeGreaterThan(0);
    expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    for (const [at, { score }] of found.entries()) expect(score).toBeCloseTo(expected[at]?.score ?? 0, 10);
  }
  db.close();
});
