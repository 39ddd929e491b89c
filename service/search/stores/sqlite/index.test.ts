import { expect, it } from 'vitest';
import { indexPaths } from '../../ingest/index.ts';
import { DOCS, tempFolder } from '../../testing/fixtures.ts';
import { describeIndexing } from '../../testing/index-suite.ts';
import { sqlitePlace } from '../../testing/place.ts';

describeIndexing('SQLite', sqlitePlace);

it('of two writers that start together the second is refused', async () => {
  const folder = tempFolder(DOCS);
  const index = () => indexPaths({ roots: [folder.docs], db: folder.db, rebuild: true });
  await index();
  await expect(Promise.all([index(), index()])).rejects.toMatchObject({ code: 'busy' });
  folder.remove();
});
