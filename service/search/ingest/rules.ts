/** Which files are wanted: `.gitignore` as git reads it, and the patterns of --include and --exclude. */
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import picomatch from 'picomatch';
import { CodedError } from '../../contract.ts';

/** A `.gitignore` with the folder it is about. */
export interface IgnoreFile {
  folder: string;
  rules: Ignore;
}

/** Larger ones are not rules that people wrote. */
const MAX_BYTES = 1024 * 1024;

/** The rules of one folder, if it has any. */
export async function ignoreFileOf(folder: string, name = '.gitignore'): Promise<IgnoreFile | undefined> {
  const path = join(folder, name);
  const info = await stat(path).catch(() => undefined);
  if (info?.isFile() !== true || info.size > MAX_BYTES) return undefined;
  const text = await readFile(path, 'utf8').catch(() => '');
  return { folder, rules: ignore().add(text) };
}

/** The rules above a root, up to the top of its repository; none when they leave out the root itself: it was named. */
export async function ignoreFilesAbove(root: string): Promise<IgnoreFile[]> {
  const found: IgnoreFile[] = [];
  for (let folder = root; ; folder = dirname(folder)) {
    const isTop = (await stat(join(folder, '.git')).catch(() => undefined)) !== undefined;
    const own = folder === root ? undefined : await ignoreFileOf(folder);
    if (own !== undefined) found.unshift(own);
    const exclude = isTop ? await ignoreFileOf(folder, join('.git', 'info', 'exclude')) : undefined;
    if (exclude !== undefined) found.unshift(exclude);
    if (isTop) return isIgnored(found, root, true) ? [] : found;
    if (dirname(folder) === folder) return [];
  }
}

/** The innermost file that says anything decides. */
export function isIgnored(files: readonly IgnoreFile[], path: string, isFolder: boolean): boolean {
  for (const { folder, rules } of [...files].reverse()) {
    const name = relative(folder, path).split(sep).join('/');
    if (name === '' || name.startsWith('../')) continue;
    const { ignored, unignored } = rules.test(isFolder ? `${name}/` : name);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}

export interface Patterns {
  /** `path` is relative to its root, with forward slashes. */
  isExcluded(path: string): boolean;
  isIncluded(path: string): boolean;
}

/**
 * A pattern without a slash is about names at any depth, one with a slash about paths from the root; one that names a
 * folder is about all that is in it. Throws `bad_input` for an empty one.
 */
export function patternsOf(include: readonly string[] = [], exclude: readonly string[] = []): Patterns {
  const [wanted, unwanted] = [include.map(matcherOf), exclude.map(matcherOf)];
  return {
    isExcluded: (path) => unwanted.some((matches) => prefixes(path).some(matches)),
    isIncluded: (path) => wanted.length === 0 || wanted.some((matches) => prefixes(path).some(matches)),
  };
}

function matcherOf(pattern: string): (path: string) => boolean {
  const clean = pattern
    .trim()
    .replaceAll('\\', '/')
    .replace(/^\.?\//, '/')
    .replace(/\/+$/, '');
  if (clean === '' || clean.length > 1000)
    throw new CodedError('bad_input', `${JSON.stringify(pattern)} is no pattern; give one like '*.md' or 'drafts/**'.`);
  const anywhere = !clean.includes('/');
  const matches = picomatch(clean.replace(/^\//, '').replace(/\/\*\*$/, ''), { dot: true, nonegate: true });
  return (path) => matches(anywhere ? path.slice(path.lastIndexOf('/') + 1) : path);
}

/** The path and every folder above it. */
function prefixes(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}
