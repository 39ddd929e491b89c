/** The documents behind the cases, as plain files under one root: a source is a path below it. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { CodedError } from '../service/contract.ts';

const TEXT_FILE = /\.(md|mdx|markdown|txt|rst|adoc|html?|org)$/i;

/** Reads a source below the root; null when there is none. A name that leads out of the root is none. */
export function corpusReader(root: string): (source: string) => string | null {
  requireFolder(root);
  const known = new Map<string, string | null>();
  return (source) => {
    if (!known.has(source)) known.set(source, read(root, source));
    return known.get(source) ?? null;
  };
}

/** Source names of the text files below the root, in order. */
export function listSources(root: string): string[] {
  requireFolder(root);
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && TEXT_FILE.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** Paragraphs long enough to ask about; headings and what is but a line of code are left out. */
export function paragraphsOf(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part.length >= 120 && !part.startsWith('#') && !part.startsWith('```'));
}

function read(root: string, source: string): string | null {
  const path = resolve(root, source);
  const inside = path.startsWith(resolve(root) + sep);
  return inside && existsSync(path) && statSync(path).isFile() ? readFileSync(path, 'utf8') : null;
}

function requireFolder(root: string): void {
  if (existsSync(root) && statSync(root).isDirectory()) return;
  throw new CodedError('bad_input', `there is no folder ${root}; name the documents' folder with --corpus`);
}
