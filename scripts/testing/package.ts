/** The package as npm makes it, in a folder of its own: what is not packed is not there. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Packed {
  /** The tarball. */
  file: string;
  bytes: number;
}

export function pack(folder: string): Packed {
  const output = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [made] = JSON.parse(output) as { filename: string; size: number }[];
  if (made === undefined) throw new Error('npm pack made nothing');
  return { file: join(folder, made.filename), bytes: made.size };
}

export interface Home {
  folder: string;
  /** Runs `askdocs` as `npx askdocs` does. */
  askdocs(...args: string[]): { status: number | null; stdout: string; stderr: string };
}

/** As `npm install` leaves it, but without the registry: the dependencies that package.json names are those of the checkout. */
export function unpack({ file }: Packed): Home {
  const folder = mkdtempSync(join(tmpdir(), 'askdocs-home-'));
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, 'askdocs'), { recursive: true });
  execFileSync('tar', ['-xzf', file, '-C', join(modules, 'askdocs'), '--strip-components=1']);
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(modules, 'askdocs', 'package.json'), 'utf8'),
  ) as Record<'dependencies' | 'optionalDependencies', Record<string, string>>;
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  writeFileSync(join(folder, 'package.json'), '{"name": "home", "private": true}\n');
  return { folder, askdocs: (...args) => runIn(folder, args) };
}

/** Without the settings of whoever runs the tests. */
export function runIn(folder: string, args: readonly string[]) {
  const cli = join(folder, 'node_modules', 'askdocs', 'scripts', 'askdocs.js');
  const env = { PATH: process.env.PATH, HOME: folder, ASKDOCS_EMBED_MODEL: 'none' };
  return spawnSync(process.execPath, [cli, ...args], { cwd: folder, encoding: 'utf8', env });
}
