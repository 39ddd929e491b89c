/**
 * Builds the demo corpus in data/corpus: the documentation folders of three npm packages, at pinned versions whose
 * archives are checked against pinned integrity. Nothing of it is committed.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { CodedError } from '../service/contract.ts';

const run = promisify(execFile);

interface Package {
  name: string;
  version: string;
  /** Subresource integrity of the published archive. */
  integrity: string;
}

export const PACKAGES: Package[] = [
  {
    name: 'fastify',
    version: '5.12.8',
    integrity: 'sha512-moP8exb2sCHLUbJkwp+I6C0padhy4D8lp0SdmzY7HhSdZuqm7O/u3o2aq7u8okaQ//33QDzj3G/u+FsSdB8Qzw==',
  },
  {
    name: 'pino',
    version: '10.4.0',
    integrity: 'sha512-bk1ZMTwG/Vymx+zPoa28MhNzucFvXJWp3csrSuxuHPSMeUettaCoQ5Jvg07mtC4JGNpcfTwz41oVCnNgBK9+vA==',
  },
  {
    name: 'undici',
    version: '6.29.1',
    integrity: 'sha512-EvRlUt/QqAEvXdQeRMYUfwOQsfzpDztykrG2owGEE/rBOBoYv9uF39ZzsNDh4lTFHhTr2XOZjKkYgueD12ZmGA==',
  },
];

/** Fetches the archive of a package into a folder and returns its path. */
export type Fetch = (spec: string, folder: string) => Promise<string>;

/** Builds the corpus unless it is there already; returns its folder and whether it was built now. */
export async function buildCorpus(
  target: string,
  packages: Package[] = PACKAGES,
  fetch: Fetch = npmPack,
): Promise<{ folder: string; built: boolean }> {
  const folder = resolve(target);
  const stamp = packages.map(({ name, version, integrity }) => `${name}@${version} ${integrity}\n`).join('');
  if ((await readFile(join(folder, '.corpus'), 'utf8').catch(() => '')) === stamp) return { folder, built: false };
  const work = await mkdtemp(join(tmpdir(), 'askdocs-corpus-'));
  try {
    const fresh = join(work, 'corpus');
    for (const pkg of packages) await unpack(pkg, work, join(fresh, pkg.name), fetch);
    await writeFile(join(fresh, '.corpus'), stamp);
    await swapIn(fresh, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return { folder, built: true };
}

async function unpack(pkg: Package, work: string, into: string, fetch: Fetch): Promise<void> {
  const spec = `${pkg.name}@${pkg.version}`;
  const archive = await fetch(spec, work).catch((cause) => {
    throw new CodedError(
      'unavailable',
      `Could not fetch ${spec} from the npm registry; check the network and try again.`,
      { cause },
    );
  });
  const [algorithm = '', expected = ''] = pkg.integrity.split(/-(.*)/s);
  const actual = createHash(algorithm)
    .update(await readFile(archive))
    .digest('base64');
  if (actual !== expected) {
    throw new CodedError(
      'unavailable',
      `The archive of ${spec} has integrity ${algorithm}-${actual}, but ${pkg.integrity} is pinned; it was not used. Nothing was changed.`,
    );
  }
  const folder = join(work, pkg.name);
  await mkdir(folder, { recursive: true });
  await run('tar', ['-xzf', archive, '-C', folder]);
  await cp(join(folder, 'package', 'docs'), into, { recursive: true });
}

async function npmPack(spec: string, folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', spec, '--json', '--pack-destination', folder], {
    shell: process.platform === 'win32',
  });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  if (packed === undefined) throw new Error(`npm pack ${spec} named no file`);
  return join(folder, packed.filename.replace(/^@/, '').replace('/', '-'));
}

/** The target is replaced in one rename, from the same file system, so that a half-built corpus is never seen. */
async function swapIn(fresh: string, folder: string): Promise<void> {
  const staged = `${folder}.new`;
  await rm(staged, { recursive: true, force: true });
  await mkdir(resolve(folder, '..'), { recursive: true });
  await cp(fresh, staged, { recursive: true });
  await rm(folder, { recursive: true, force: true });
  await rename(staged, folder);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    const { folder, built } = await buildCorpus(process.argv[2] ?? 'data/corpus');
    console.log(built ? `Built the demo corpus in ${folder}.` : `The demo corpus in ${folder} is up to date.`);
  } catch (error) {
    console.error(`build-corpus: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
}
