/** The README holds: its tables are those of the committed results, each of its commands is run somewhere, its links lead on. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { evaluationTable, fill } from './readme-blocks.ts';
import { README, readmeBlocks } from './readme-sources.ts';

const ROOT = dirname(README);
const text = readFileSync(README, 'utf8');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Where each command is run, and what is seen there of it. Word for word, comments and line ends aside. */
const RUN: Record<string, [file: string, seen: string]> = {
  'npm ci && npm run demo': ['.ci/run', 'npm ci\n'],
  'npm test': ['.ci/run', 'npm test'],
  'bash scripts/demo.sh': ['scripts/demo-script.test.ts', "spawn('bash', [SCRIPT"],
  'npx askdocs index ./my-docs': ['scripts/testing/own-documents.ts', "askdocs('index', './my-docs')"],
  'npx askdocs ask "How do I rotate the logs?"': ['scripts/testing/own-documents.ts', "askdocs('ask', "],
  'npx askdocs serve': ['scripts/testing/own-documents.ts', "[cli, 'serve'"],
  'npx askdocs models pull && npx askdocs index ./my-docs': ['scripts/demo.ts', "askdocs('models', 'pull')"],
  'bash scripts/llama-server.sh MODEL.gguf --slots 4': ['scripts/llama-server.test.ts', "'--slots'"],
  'ASKDOCS_LLM_PROVIDER=llamacpp npx askdocs serve': ['scripts/container-start.test.ts', 'services[name]?.environment'],
  'ASKDOCS_LLM_PROVIDER=openai ASKDOCS_LLM_BASE_URL=http://localhost:11434/v1 ASKDOCS_LLM_MODEL=qwen2.5:3b npx askdocs serve':
    ['service/config.test.ts', 'openai'],
  'docker compose -f compose/compose.yaml up -d --build': ['scripts/compose.test.ts', "'config', '--format', 'json'"],
  'npx askdocs eval all --cases cases/demo.jsonl --db data/demo.db': ['scripts/demo.ts', "'eval', 'all'"],
  'npx askdocs gate check': ['.ci/run', 'npx askdocs gate check --live'],
  'npx askdocs init ./my-docs': ['scripts/testing/own-documents.ts', "askdocs('init', './my-docs')"],
  'curl -N http://127.0.0.1:8000/ask -H \'content-type: application/json\' -d \'{"question": "How do I rotate the logs?"}\'':
    ['scripts/demo.sh', 'post /ask "$body" -N'],
};

const commands = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)]
  .flatMap(([, block = '']) => block.trim().split('\n'))
  .map((line) => line.replace(/\s{2,}#.*$/, '').trim());

test('every command of the README is run by a test or by CI, and the list names no other', () => {
  expect([...new Set(commands)].sort()).toEqual(Object.keys(RUN).sort());
  for (const [command, [file, seen]] of Object.entries(RUN)) expect(read(file), command).toContain(seen);
});

test('npm scripts that it names are there', () => {
  const scripts = JSON.parse(read('package.json')).scripts as Record<string, string>;
  const named = [...text.matchAll(/npm (?:run ([\w:-]+)|(test|start)\b)/g)].map((match) => match[1] ?? match[2] ?? '');
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test('its tables are those of the committed results: npm run readme:tables', () => {
  expect(fill(text, readmeBlocks())).toBe(text);
});

test.each(['README.md', 'CONTRIBUTING.md', 'docs/deploy.md', 'docs/deploy-aws.md', 'docs/decisions/README.md'])(
  'the links of %s lead somewhere',
  (file) => {
    const links = [...read(file).matchAll(/\]\(([^)#\s]+)/g)].map((match) => match[1] ?? '');
    const broken = links.filter((link) => !/^https?:/.test(link) && !existsSync(join(ROOT, dirname(file), link)));
    expect(broken).toEqual([]);
  },
);

test('a table has a column for each run, with its interval; a metric without a value is a dash', () => {
  const metric = { name: 'faithfulness', slice: 'overall', value: 0.5, low: 0.25, high: 0.75, n: 9 };
  const service = { provider: 'llamacpp', model: 'tiny', search: 'hybrid' };
  const summary = { service, metrics: [metric] } as unknown as Parameters<typeof evaluationTable>[0][number]['summary'];
  const made = evaluationTable([{ dir: 'results/x', summary }]);
  expect(made).toContain('| metric | [tiny, words and meaning](results/x/report.md) |');
  expect(made).toContain('| faithfulness | 0.500 [0.250, 0.750] |');
  expect(made).toContain('| context recall | – |');
});

test('a text without a place for a block is an error, and what stood there before is replaced', () => {
  expect(() => fill('nothing', { a: 'x' })).toThrow('There is no place for a');
  const once = fill('<!-- a: by hand -->\n<!-- end -->\nrest', { a: '| 1 |' });
  expect(once).toBe('<!-- a: by hand -->\n\n| 1 |\n\n<!-- end -->\nrest');
  expect(fill(once, { a: '| 2 |' })).toBe('<!-- a: by hand -->\n\n| 2 |\n\n<!-- end -->\nrest');
});
