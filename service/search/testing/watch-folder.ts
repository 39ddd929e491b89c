/** Follows a folder in a process of its own, so that a test can kill it; says on stdout when a run is done. */
import { watchPaths } from '../ingest/watch.ts';

const [root = '', db = ''] = process.argv.slice(2);
await watchPaths({
  roots: [root],
  db,
  signal: new AbortController().signal,
  onRun: ({ files }) => console.log(`files ${files}`),
  onProblem: (message) => console.error(message),
});
