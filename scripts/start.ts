/** `npm start`: serves the demo corpus until Ctrl-C, building corpus and index first where they are missing. */
import { buildCorpus } from './build-corpus.ts';
import { runAskdocs } from './run-askdocs.ts';

/** Apart from data/docs.db, which is the user's own. */
const INDEX = 'data/demo.db';

// This process only waits for its child to end well; the child takes Ctrl-C itself.
process.on('SIGINT', () => undefined);

try {
  const { folder } = await buildCorpus('data/corpus');
  process.exitCode =
    (await runAskdocs(['index', folder, '--db', INDEX], 'inherit')) ||
    (await runAskdocs(['serve', '--db', INDEX, ...process.argv.slice(2)], 'inherit'));
} catch (error) {
  console.error(`askdocs: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 69;
}
