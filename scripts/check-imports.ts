/** Checks that imports go one way between the rooms of the project; prints each that does not, and exits 1. */
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { glob } from 'tinyglobby';

interface Rule {
  /** Files the rule is about. */
  from: RegExp;
  /** What they must not import … */
  not: RegExp;
  /** … but for these. */
  unless?: RegExp;
  why: string;
}

const TESTS = /(\.test\.ts$|\/testing\/)/;

export const RULES: Rule[] = [
  {
    from: /^harness\//,
    not: /^service\//,
    unless: /^service\/(contract|sentences|citations)\.ts$/,
    why: 'the harness measures any service: of ours it knows contract.ts, sentences.ts and citations.ts',
  },
  { from: /^harness\//, not: /^(scripts|loadtest)\//, why: 'scripts join the halves, never the other way' },
  {
    from: /^service\//,
    not: /^(harness|scripts|loadtest)\//,
    why: 'the service knows nothing of who measures or starts it',
  },
  {
    from: /^service\/search\//,
    not: /^service\/(?!search\/)/,
    unless: /^service\/contract\.ts$/,
    why: 'the search server is a process of its own: it knows contract.ts alone',
  },
  {
    from: /^service\/(?!search\/)/,
    not: /^service\/search\//,
    why: 'the service speaks to the search server over MCP only',
  },
];

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(\s*|^\s*import\s+)(['"])(\.{1,2}\/[^'"]+)\1/gm;

/** The imports of one file that break a rule. `file` is relative to the project, with forward slashes. */
export function violations(file: string, text: string, rules: Rule[] = RULES): string[] {
  if (TESTS.test(file)) return [];
  const found: string[] = [];
  for (const match of text.matchAll(IMPORT)) {
    const target = join(dirname(file), match[2] ?? '')
      .split(sep)
      .join('/');
    for (const rule of rules) {
      if (rule.from.test(file) && rule.not.test(target) && !rule.unless?.test(target)) {
        found.push(`${file} imports ${target}: ${rule.why}.`);
      }
    }
  }
  return found;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const files = await glob(['{harness,service,scripts,loadtest}/**/*.ts'], { cwd: root });
  const all: string[] = [];
  for (const file of files.sort())
    all.push(
      ...violations(relative(root, join(root, file)).split(sep).join('/'), await readFile(join(root, file), 'utf8')),
    );
  for (const line of all) console.error(line);
  console.log(`${files.length} files, ${all.length} imports against the direction.`);
  process.exit(all.length === 0 ? 0 : 1);
}
