/** Indexes a folder in a process of its own, so that a test can kill it; says on stdout when it begins to write. */
import { indexPaths } from '../ingest/index.ts';

const [root = '', db = ''] = process.argv.slice(2);
let begun = false;
await indexPaths({
  roots: [root],
  db,
  onProgress: () => {
    if (!begun) console.log('begun');
    begun = true;
  },
});
