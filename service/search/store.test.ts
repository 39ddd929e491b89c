import { expect, it } from 'vitest';
import { indexRecords } from './ingest/index.ts';
import { openStore } from './store.ts';
import { fakeEmbedder, tempFolder } from './testing/fixtures.ts';
import { sqlitePlace } from './testing/place.ts';
import { describeStore } from './testing/store-suite.ts';

describeStore('SQLite', sqlitePlace);

it('a longer list begins like a shorter one: an evaluation of a hundred measures what the service returns', async () => {
  const folder = tempFolder();
  const embedder = fakeEmbedder();
  const words = ['wombat', 'kiwi', 'server', 'timeout', 'pool', 'header', 'agent', 'proxy', 'socket', 'retry'];
  const records = Array.from({ length: 600 }, (_, at) => ({
    id: `d${at}`,
    title: words[at % 10] ?? '',
    text: `${[1, 3, 7].map((step) => words[Math.floor(at / step) % 10]).join(' ')} number ${at}`,
  }));
  await indexRecords({ db: folder.db, records, embedder });
  const store = await openStore(folder.db, { embedder });
  const ask = async (k: number) =>
    (await store.search({ query: 'wombat timeout of a proxy', k, gate: false })).passages;
  const short = await ask(5);
  expect(short).toHaveLength(5);
  expect((await ask(500)).slice(0, 5)).toEqual(short);
  store.close();
  folder.remove();
});
