/** The service of a benchmark as a process of its own, as it runs in earnest. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { quiet, type Running, start, WITH_PARENT } from '../../loadtest/processes.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const RETRIEVAL = [
  process.execPath,
  '--import',
  import.meta.resolve('tsx'),
  path('../../service/testing/mcp-stand-in.ts'),
  'typed',
];

/** `askdocs serve` with these settings alone; its retrieval is the stand-in of the tests unless set otherwise. */
export function startServiceProcess(settings: Record<string, string>): Promise<Running> {
  const command = RETRIEVAL.map((word) => `"${word}"`).join(' ');
  const env = { PATH: process.env.PATH, ASKDOCS_MCP_COMMAND: command, ...settings };
  return start('/readyz', (port) =>
    spawn(process.execPath, [...WITH_PARENT, path('../askdocs.js'), 'serve', '--port', String(port)], quiet(env)),
  );
}
