/** `npm start`: serves the demo corpus until Ctrl-C, building corpus and index first where they are missing. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { buildCorpus } from './build-corpus.ts';

/** Apart from data/docs.db, which is the user's own. */
const INDEX = 'data/demo.db';
const cli = fileURLToPath(new URL('askdocs.js', import.meta.url));

function askdocs(...args: string[]): Promise<number> {
  const child = spawn(process.execPath, [cli, ...args], { stdio: 'inherit' });
  return new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ? 130 : (code ?? 1))));
}

// Ctrl-C reaches the child through the terminal's process group; this process waits for it to end well. A SIGTERM
// is for this process alone, so it is passed on below.
process.on('SIGINT', () => undefined);

try {
  const { folder } = await buildCorpus('data/corpus');
  process.exitCode =
    (await askdocs('index', folder, '--db', INDEX)) ||
    (await askdocs('serve', '--db', INDEX, ...process.argv.slice(2)));
} catch (error) {
  console.error(`askdocs: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 69;
}
