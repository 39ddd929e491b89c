/** What the proofs share: a service over a real index, other people's programs, and a place for what they print. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Config, loadConfig } from '../../service/config.ts';
import { silentLogger } from '../../service/log.ts';
import { indexPaths } from '../../service/search/ingest/index.ts';
import { startService } from '../../service/serve.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface ProofService {
  url: string;
  close(): Promise<void>;
}

/** The service over an index of this project's own documents, without a model unless `env` names one. */
export async function startProofService(
  env: Record<string, string> = {},
  limits: Partial<Config['limits']> = {},
): Promise<ProofService> {
  const folder = mkdtempSync(join(tmpdir(), 'askdocs-proof-'));
  const db = join(folder, 'docs.db');
  // Without what earlier proofs printed, which quotes these documents.
  await indexPaths({ roots: [join(ROOT, 'docs')], db, exclude: ['proofs/**'] });
  const config = loadConfig({ ASKDOCS_PORT: '0', ASKDOCS_MCP_DB: db, ...env });
  const service = await startService({ ...config, limits: { ...config.limits, ...limits } }, { log: silentLogger });
  return {
    url: service.url,
    async close() {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface Ran {
  code: number;
  output: string;
  /** Without what went to stderr. */
  stdout: string;
}

/** Runs a program to its end; what it prints is shown and kept. */
export function run(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...env },
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk;
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk;
        process.stderr.write(chunk);
      });
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output, stdout }));
  });
}

/** A folder of Python programs of these packages, made once under .models/, outside of what is committed. */
export async function python(packages: readonly string[]): Promise<string> {
  const venv = join(ROOT, '.models', 'proofs-venv');
  if (!existsSync(join(venv, 'bin', 'python'))) await run('python3', ['-m', 'venv', venv]);
  const { code } = await run(join(venv, 'bin', 'pip'), [
    'install',
    '--quiet',
    '--disable-pip-version-check',
    ...packages,
  ]);
  if (code !== 0) throw new Error(`pip could not install ${packages.join(', ')}.`);
  return join(venv, 'bin');
}

/** Writes what was shown to docs/proofs, under a line that says when and where; addresses that change are replaced. */
export function keep(name: string, text: string, url = ''): void {
  const folder = join(ROOT, 'docs', 'proofs');
  mkdirSync(folder, { recursive: true });
  const machine = `${availableParallelism()} cores, ${process.platform} ${process.arch}, Node ${process.versions.node}`;
  const head = `npm run prove ${name}   (${new Date().toISOString().slice(0, 10)}, ${machine})\n\n`;
  const shown = (url === '' ? text : text.replaceAll(url, 'http://127.0.0.1:PORT')).replaceAll(ROOT, '');
  writeFileSync(join(folder, `${name}.txt`), `${head}${shown.trim()}\n`);
}
