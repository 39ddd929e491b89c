/** Finds the files below the given roots and names each one as a source. */
import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { CodedError } from '../../contract.ts';
import { formatOf, holdsRecords } from './readers.ts';
import { type IgnoreFile, ignoreFileOf, ignoreFilesAbove, isIgnored, type Patterns, patternsOf } from './rules.ts';

export interface Found {
  /** Absolute path. */
  path: string;
  /** Name in the index: relative to its root, with forward slashes; several roots: the root's own name in front. */
  source: string;
  size: number;
  /** Changes whenever the file does, as far as the file system says. */
  stamp: string;
  /** When it changed last, by the clock of its file system; milliseconds. */
  changed: number;
}

export interface Skipped {
  source: string;
  reason: string;
}

export interface Walked {
  /** Files that a reader takes, ordered by source. */
  files: Found[];
  /** What has a reader's name and cannot be read. */
  skipped: Skipped[];
  /** How many were left out, by reason. */
  leftOut: Record<string, number>;
  /** How many files are of formats that no reader takes. */
  ignored: number;
  /** Every folder that was looked into: what has to be watched. */
  folders: string[];
  /** Roots that are not there; never any unless they are allowed to be missing. */
  missing: string[];
}

export interface WalkOptions {
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
  /** A root that is not there is named in `missing` instead of ending the walk. */
  allowMissing?: boolean | undefined;
}

const SKIPPED_FOLDERS = new Set(['node_modules']);

/** Every file below the roots; hidden ones, node_modules and what `.gitignore` names are left out. */
export async function walk(roots: readonly string[], options: WalkOptions = {}): Promise<Walked> {
  const walked: Walked = { files: [], skipped: [], leftOut: {}, ignored: 0, folders: [], missing: [] };
  const patterns = patternsOf(options.include, options.exclude);
  const found = new Map<string, Found>();
  for (const root of new Set(roots.map((path) => resolve(path)))) {
    const info = await stat(root).catch(() => undefined);
    if (info === undefined && options.allowMissing !== true) {
      const given = roots.find((path) => resolve(path) === root) ?? root;
      throw new CodedError('bad_input', `There is no file or folder ${given}.`);
    }
    if (info === undefined) walked.missing.push(root);
    else if (info.isDirectory()) await walkRoot(walked, root, roots.length > 1 ? `${basename(root)}/` : '', patterns);
    else takeRoot(walked, root, info);
    for (const file of walked.files.splice(0)) add(found, file);
  }
  walked.files = [...found.values()].sort((a, b) => (a.source < b.source ? -1 : 1));
  return walked;
}

function add(found: Map<string, Found>, file: Found): void {
  const same = found.get(file.source);
  if (same !== undefined && same.path !== file.path) {
    throw new CodedError(
      'bad_input',
      `Two files would both be called ${file.source}; index their common parent folder instead.`,
    );
  }
  found.set(file.source, file);
}

interface Walking {
  walked: Walked;
  /** Real path of the root: links must not lead out of it. */
  real: string;
  /** Put in front of the path from the root. */
  prefix: string;
  patterns: Patterns;
}

async function walkRoot(walked: Walked, root: string, prefix: string, patterns: Patterns): Promise<void> {
  const above = await ignoreFilesAbove(root);
  await below({ walked, real: await realpath(root), prefix, patterns }, root, '', above);
}

function takeRoot(walked: Walked, path: string, info: Stats): void {
  const source = basename(path);
  walked.folders.push(dirname(path));
  if (!info.isFile()) walked.skipped.push({ source, reason: NOT_REGULAR });
  else if (isKnown(path)) walked.files.push({ path, source, ...factsOf(info) });
  else walked.ignored++;
}

async function below(walking: Walking, folder: string, inner: string, above: readonly IgnoreFile[]): Promise<void> {
  const { walked, prefix } = walking;
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    if (inner === '') throw new CodedError('bad_input', `The folder ${folder} cannot be read.`, { cause });
    walked.skipped.push({ source: prefix + inner, reason: 'the folder cannot be read' });
    return [];
  });
  walked.folders.push(folder);
  const own = await ignoreFileOf(folder);
  const ignores = own === undefined ? above : [...above, own];
  for (const entry of entries) await takeEntry(walking, entry, { folder, inner, ignores });
}

async function takeEntry(
  walking: Walking,
  entry: Dirent,
  { folder, inner, ignores }: { folder: string; inner: string; ignores: readonly IgnoreFile[] },
): Promise<void> {
  const { walked, patterns } = walking;
  const [path, name] = [join(folder, entry.name), inner + entry.name];
  const isFolder = entry.isDirectory();
  if (entry.name.startsWith('.')) return leaveOut(walked, 'hidden');
  if (isFolder && SKIPPED_FOLDERS.has(entry.name)) return leaveOut(walked, 'in node_modules');
  if (isIgnored(ignores, path, isFolder)) return leaveOut(walked, 'named in .gitignore');
  if (patterns.isExcluded(name)) return leaveOut(walked, 'excluded');
  if (isFolder) return below(walking, path, `${name}/`, ignores);
  if (!patterns.isIncluded(name)) return leaveOut(walked, 'not included');
  await takeFile(walking, entry, path, name);
}

const NOT_REGULAR = 'is not a regular file';

/** A symbolic link to a file inside the root is that file; one that leads out, or to a folder, is left alone. */
async function takeFile({ walked, real, prefix }: Walking, entry: Dirent, path: string, name: string): Promise<void> {
  const source = prefix + name;
  const skip = (reason: string) => void walked.skipped.push({ source: shown(source), reason });
  if (entry.isSymbolicLink()) {
    const target = await realpath(path).catch(() => undefined);
    if (target?.startsWith(real + sep) !== true)
      return leaveOut(walked, 'links that lead nowhere or out of the folder');
  }
  if (!isKnown(path)) {
    if (entry.isSymbolicLink() && (await stat(path).catch(() => undefined))?.isDirectory() === true)
      return leaveOut(walked, 'links to folders');
    walked.ignored++;
    return;
  }
  // A name that is no UTF-8 comes with replacement characters, and leads to no file.
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return skip(await whyNot(path, entry.name));
  if (info.isDirectory()) return leaveOut(walked, 'links to folders');
  if (!info.isFile()) return skip(NOT_REGULAR);
  if (/[\p{Cc}\u2028\u2029]/u.test(source))
    return skip('has a line break or a control character in its name; rename it');
  walked.files.push({ path, source, ...factsOf(info) });
}

async function whyNot(path: string, name: string): Promise<string> {
  if (name.includes('\uFFFD')) return 'has a name that is not UTF-8; rename it';
  return (await lstat(path).catch(() => undefined)) === undefined ? 'is gone' : 'cannot be read';
}

function leaveOut(walked: Walked, reason: string): void {
  walked.leftOut[reason] = (walked.leftOut[reason] ?? 0) + 1;
}

function isKnown(path: string): boolean {
  return formatOf(path) !== undefined || holdsRecords(path);
}

function factsOf(info: Stats): Pick<Found, 'size' | 'stamp' | 'changed'> {
  const { size, ino, mtimeMs, ctimeMs } = info;
  return { size, stamp: `${size} ${ino} ${mtimeMs} ${ctimeMs}`, changed: Math.max(mtimeMs, ctimeMs) };
}

/** A name as it can stand on one line of a terminal. */
function shown(source: string): string {
  return source.replace(/[\p{Cc}\u2028\u2029]/gu, '?');
}
