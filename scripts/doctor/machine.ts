/** The machine: Node, room on the disk, the port, and the programs that some commands call. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findK6 } from '../../loadtest/k6-program.ts';
import { type Check, fail, ok, said, warn } from './check.ts';

/** An index of 100,000 passages with vectors takes about 200 MB, and is written beside the old one. */
const LOW_BYTES = 1e9;
const LEAST_BYTES = 1e8;

/** `wanted` as package.json's engines have it: `>=20.19`. */
export function nodeCheck(version: string, wanted: string): Check {
  const least = wanted.replace(/^>=\s*/, '');
  const found = `${version} (wanted: ${wanted})`;
  if (!isAtLeast(version, least)) return fail('Node', found, `Install Node ${least} or newer.`);
  // nodejs/node#65446: modules compiled against its headers abort when memory is collected outside of JavaScript.
  if (version.startsWith('24.') && isAtLeast(version, '24.19')) {
    return warn('Node', found, 'From 24.19 on it may abort while SQLite is used (docs/limitations.md): use Node 22.');
  }
  return ok('Node', found);
}

export async function diskCheck(db: string): Promise<Check> {
  const folder = nearestFolder(resolve(dirname(db)));
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const found = `${(free / 1e9).toFixed(1)} GB free in ${folder}`;
  if (free < LEAST_BYTES) return fail('disk', found, 'Make room: an index can no longer be written.');
  if (free < LOW_BYTES) return warn('disk', found, 'Make room before indexing many documents.');
  return ok('disk', found);
}

/** Taken is no fault: it may be the service itself. */
export async function portCheck(host: string, port: number): Promise<Check> {
  if (port === 0) return ok('port', 'any free one will be taken');
  const problem = await listenProblem(host, port);
  if (problem === undefined) return ok('port', `${host} port ${port} is free`);
  if (problem !== 'EADDRINUSE') {
    return fail('port', `cannot listen on ${host} port ${port} (${problem})`, 'Set ASKDOCS_HOST or ASKDOCS_PORT.');
  }
  if (await answersAsAskdocs(host, port)) return ok('port', `askdocs answers on ${host} port ${port} already`);
  return warn(
    'port',
    `${host} port ${port} is taken by another program`,
    'Choose another port: ASKDOCS_PORT, or askdocs serve --port.',
  );
}

/** Only load tests need it. */
export async function k6Check(given: string | undefined): Promise<Check> {
  try {
    const { version, path } = await findK6(given);
    return ok('k6', `${version} (${path})`);
  } catch (error) {
    return warn('k6', 'not there; only load tests need it', said(error).replace(/: spawn .*$/, ''));
  }
}

/** Where Python is what remains to fetch something with: the doctor calls it only then. */
export async function pythonCheck(need: string): Promise<Check> {
  try {
    const { stdout } = await promisify(execFile)('python3', ['-m', 'pip', '--version'], { timeout: 20_000 });
    return ok('Python', `${stdout.trim().split(' from ')[0]}, for ${need}`);
  } catch {
    return warn(
      'Python',
      `python3 with pip is not there; it would be used for ${need}`,
      'Install python3 with pip and venv.',
    );
  }
}

function isAtLeast(version: string, least: string): boolean {
  const [have, want] = [version, least].map((text) => text.split('.').map(Number));
  for (const [at, number] of (want ?? []).entries()) {
    const other = have?.[at] ?? 0;
    if (other !== number) return other > number;
  }
  return true;
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

function listenProblem(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolveWith) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolveWith(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolveWith(undefined)));
  });
}

async function answersAsAskdocs(host: string, port: number): Promise<boolean> {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  try {
    const response = await fetch(`http://${name}:${port}/healthz`, { signal: AbortSignal.timeout(3000) });
    const body = (await response.json()) as { max_concurrent?: unknown };
    return typeof body.max_concurrent === 'number';
  } catch {
    return false;
  }
}
