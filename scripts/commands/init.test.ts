import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { draftCases } from '../init/drafts.ts';
import { runCliIn } from '../testing/run-cli.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'askdocs-init-'));
  mkdirSync(join(dir, 'docs'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const CASES = 'cases/own.jsonl';
const read = (path: string) => readFileSync(join(dir, path), 'utf8');
const linesOf = (text: string) => text.trimEnd().split('\n');

function document(n: number): void {
  const limit = `The limit of store ${n} is ${n}00 MB, and what is larger is turned away with a message that names the limit and the file.`;
  writeFileSync(join(dir, 'docs', `store-${n}.md`), `# Store ${n}\n\n| a | b |\n|---|---|\n\n${limit}\n`);
}

test('the drafts name files and show passages, and hold no label; the check says what to fill in', async () => {
  for (let n = 1; n <= 12; n += 1) document(n);
  const made = await runCliIn(dir, ['init', 'docs']);
  expect(made).toMatchObject({ code: 0, err: '' });
  expect(made.out).toContain(`npx askdocs cases check ${CASES} --corpus docs`);
  const drafts = linesOf(read(CASES)).map((line) => JSON.parse(line));
  expect(drafts).toHaveLength(14);
  for (const { question, key_facts, files, note } of drafts) {
    expect(question).toBe('');
    expect(key_facts.flatMap((fact: { any: string[] }) => fact.any).join('')).toBe('');
    if (files.length > 0) expect(note).toContain('The limit of store');
  }
  expect(new Set(drafts.flatMap(({ files }) => files)).size).toBe(10);
  const checked = await runCliIn(dir, ['cases', 'check', CASES, '--corpus', 'docs']);
  expect(checked.code).toBe(64);
  expect(checked.err).toContain(`${CASES}:1: question: must not be empty; key_facts[0].any[0]: must not be empty`);
});

test('filled in, they pass the check; the gate asks for the baseline that comes next', async () => {
  for (let n = 1; n <= 3; n += 1) document(n);
  expect((await runCliIn(dir, ['init', 'docs'])).code).toBe(0);
  const filled = linesOf(read(CASES)).map((line, at) => {
    const draft = JSON.parse(line);
    const n = /store-(\d)/.exec(draft.files[0] ?? '')?.[1];
    const facts = n === undefined ? [] : [{ any: [`${n}00 MB`] }];
    const question = n === undefined ? `Where is town number ${at}${at}${at}?` : `How much may be put into store ${n}?`;
    return JSON.stringify({ ...draft, question, key_facts: facts });
  });
  writeFileSync(join(dir, CASES), `${filled.join('\n')}\n`);
  const checked = await runCliIn(dir, ['cases', 'check', CASES, '--corpus', 'docs']);
  expect(checked.out).toContain('7 cases, 0 error(s)');
  expect(checked.code).toBe(0);
  const gate = await runCliIn(dir, ['gate', 'check']);
  expect(gate.code).toBeGreaterThan(0);
  expect(gate.out + gate.err).toContain('results/baseline');
});

test.each([CASES, 'gate.json'])('where %s is already, nothing is written', async (path) => {
  document(1);
  mkdirSync(join(dir, 'cases'));
  writeFileSync(join(dir, path), 'mine\n');
  const { code, err } = await runCliIn(dir, ['init', 'docs']);
  expect(code).toBe(64);
  expect(err).toMatch(/exists already in .*, and init overwrites nothing/);
  expect(read(path)).toBe('mine\n');
  expect(existsSync(join(dir, path === CASES ? 'gate.json' : CASES))).toBe(false);
});

test('a folder that is not there, or holds nothing to ask about, is one sentence', async () => {
  const absent = await runCliIn(dir, ['init', 'nowhere']);
  expect([absent.code, linesOf(absent.err)]).toEqual([64, [expect.stringContaining('nowhere')]]);
  writeFileSync(join(dir, 'docs', 'short.md'), '# Short\n\nToo little.\n');
  const empty = await runCliIn(dir, ['init', 'docs']);
  expect([empty.code, linesOf(empty.err)]).toEqual([64, [expect.stringContaining('docs holds no text')]]);
  expect(existsSync(join(dir, 'gate.json'))).toBe(false);
});

test('files are drawn from the whole corpus, and each stays in one split', () => {
  for (let n = 10; n < 40; n += 1) document(n);
  const files = draftCases(join(dir, 'docs')).flatMap((draft) => draft.files);
  expect(files).toHaveLength(10);
  expect(files[0]).toBe('store-10.md');
  expect(files.at(-1)).toBe('store-37.md');
});
