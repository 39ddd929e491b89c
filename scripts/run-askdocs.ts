/** Runs the command askdocs as a process of its own and waits for it: as a person would in a shell. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('askdocs.js', import.meta.url));

/** Its exit code. A SIGTERM for this process goes on to it; Ctrl-C reaches both through the terminal. */
export async function runAskdocs(args: readonly string[], stdin: 'inherit' | 'ignore' = 'ignore'): Promise<number> {
  const child = spawn(process.execPath, [CLI, ...args], { stdio: [stdin, 'inherit', 'inherit'] });
  const passOn = () => child.kill('SIGTERM');
  process.on('SIGTERM', passOn);
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code, signal) => resolve(signal ? 130 : (code ?? 1)));
    });
  } finally {
    process.off('SIGTERM', passOn);
  }
}
