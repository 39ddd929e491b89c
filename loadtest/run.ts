/** Entry of `npm run loadtest`. */
import { runCli } from '../scripts/cli.ts';
import { loadtestCommand } from './command.ts';

// The tree of commands is typed by names alone; this one knows its own options.
process.exitCode = await runCli(
  loadtestCommand as unknown as Parameters<typeof runCli>[0],
  process.argv.slice(2),
  process.stderr,
);
