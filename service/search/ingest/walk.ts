/** Finds the files below the given roots and names each one as a source. */
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import { CodedError } from '../../contract.ts';

export interface Found {
  /** Absolute path. */
  path: string;
  /** Name in the index: relative to its root, with forward slashes; several roots: the root's own name in front. */
  source: string;
  size: number;
}

const SKIPPED_FOLDERS = new Set(['node_modules']);

/** Every file below the roots, hidden ones and node_modules left out, ordered by source. */
export async function walk(roots: readonly string[]): Promise<Found[]> {
  const found = new Map<string, Found>();
  for (const root of roots) {
    const path = resolve(root);
    const info = await stat(path).catch(() => undefined);
    if (info === undefined) throw new CodedError('bad_input', `There is no file or folder ${root}.`);
    const prefix = roots.length > 1 && info.isDirectory() ? `${basename(path)}/` : '';
    const files = info.isDirectory()
      ? await below(path, await realpath(path), '')
      : [{ path, source: basename(path), size: info.size }];
    for (const file of files) {
      const source = prefix + file.source;
      if (found.has(source) && found.get(source)?.path !== file.path) {
        throw new CodedError(
          'bad_input',
          `Two files would both be called ${source}; index their common parent folder instead.`,
        );
      }
      found.set(source, { ...file, source });
    }
  }
  return [...found.values()].sort((a, b) => (a.source < b.source ? -1 : 1));
}

async function below(folder: string, root: string, prefix: string): Promise<Found[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw new CodedError('bad_input', `The folder ${folder} cannot be read.`, { cause });
  });
  const found: Found[] = [];
  for (const entry of entries) {
    if (entry.name.startsWith('.') || SKIPPED_FOLDERS.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await below(path, root, `${prefix}${entry.name}/`)));
    else {
      const info = await fileInfo(entry, path, root);
      if (info !== undefined) found.push({ path, source: prefix + entry.name, size: info.size });
    }
  }
  return found;
}

/** A symbolic link to a file inside the root is that file; one that leads out, or to a folder, is left alone. */
async function fileInfo(entry: Dirent, path: string, root: string): Promise<{ size: number } | undefined> {
  if (entry.isSymbolicLink()) {
    const target = await realpath(path).catch(() => undefined);
    if (target === undefined || !target.startsWith(root + sep)) return undefined;
  }
  const info = await stat(path).catch(() => undefined);
  return info?.isFile() ? { size: info.size } : undefined;
}
