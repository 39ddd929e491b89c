/** Starts the parts of a benchmark as processes of their own, as they run in earnest. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface Running {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const TSX = ['--import', import.meta.resolve('tsx')];

/** The stand-in of a llama.cpp server, with the options of loadtest/stand-in.ts. */
export async function startStandIn(options: Record<string, number>): Promise<Running> {
  const port = await freePort();
  const args = Object.entries({ ...options, port }).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const url = `http://127.0.0.1:${port}`;
  return await started(
    spawn(process.execPath, [...TSX, path('../../loadtest/stand-in.ts'), ...args], { stdio: 'ignore' }),
    url,
    `${url}/health`,
  );
}

/** `askdocs serve` with these settings; its retrieval is the stand-in of the tests unless set otherwise. */
export async function startServiceProcess(env: Record<string, string>): Promise<Running> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const retrieval = [process.execPath, ...TSX, path('../../service/testing/mcp-stand-in.ts'), 'typed'];
  const child = spawn(process.execPath, [path('../askdocs.js'), 'serve', '--port', String(port)], {
    env: { PATH: process.env.PATH, ASKDOCS_MCP_COMMAND: retrieval.map((word) => `"${word}"`).join(' '), ...env },
    stdio: 'ignore',
  });
  return await started(child, url, `${url}/readyz`);
}

async function started(child: ChildProcess, url: string, probe: string): Promise<Running> {
  let ended = false;
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve())).then(() => {
    ended = true;
  });
  for (let i = 0; i < 600; i += 1) {
    if (ended) throw new Error(`the process for ${url} ended at once`);
    if (
      await fetch(probe).then(
        (response) => response.ok,
        () => false,
      )
    ) {
      return {
        url,
        pid: child.pid ?? 0,
        async stop() {
          child.kill('SIGTERM');
          await exit;
        },
      };
    }
    await sleep(50);
  }
  child.kill('SIGKILL');
  throw new Error(`nothing answered at ${probe}`);
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
