/** The way of somebody with documents of their own, from an empty folder to a gate in CI; command by command. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runIn } from './package.ts';

const CASES = 'cases/own.jsonl';
const TOWNS = ['Aare', 'Birs', 'Cher', 'Drau', 'Elbe', 'Fulda', 'Glan', 'Havel', 'Inn', 'Jagst'];

/** Throws (by expect) at the first command that does not do what the documentation says of it. */
export async function walk(folder: string): Promise<void> {
  const askdocs = (...args: string[]) => {
    const { status, stdout, stderr } = runIn(folder, args);
    return { status, said: stdout + stderr };
  };
  writeDocuments(folder);
  expect(askdocs('index', './my-docs')).toMatchObject({ status: 0, said: expect.stringContaining('Indexed 10 new') });
  const asked = askdocs('ask', 'How deep is the harbour of Drau?');
  expect(asked).toMatchObject({ status: 0, said: expect.stringContaining('103 metres') });
  expect(askdocs('doctor', '--format', 'json')).toMatchObject({ status: 0 });

  expect(askdocs('init', './my-docs')).toMatchObject({ status: 0 });
  fillIn(folder);
  expect(askdocs('cases', 'check', CASES, '--corpus', './my-docs')).toMatchObject({ status: 0 });
  const evaluated = askdocs('eval', 'all', '--cases', CASES, '--out', 'results/baseline');
  expect(evaluated).toMatchObject({ status: 0, said: expect.stringMatching(/key-fact recall +1\.000/) });
  expect(askdocs('gate', 'floors', '--write')).toMatchObject({ status: 0 });
  expect(askdocs('gate', 'check')).toMatchObject({ status: 0 });
  // The gate can fail: an answer that is edited after it was judged is found.
  const answers = join(folder, 'results/baseline/answers.jsonl');
  writeFileSync(answers, readFileSync(answers, 'utf8').replace('103 metres', '104 metres'));
  expect(askdocs('gate', 'check')).toMatchObject({ status: 3 });
  await serveAndAsk(folder);
}

function writeDocuments(folder: string): void {
  mkdirSync(join(folder, 'my-docs'));
  for (const [n, town] of TOWNS.entries()) {
    const text = `# ${town}\n\nThe harbour of ${town} is ${100 + n} metres deep, and its keeper lets no ship in that draws more than half of that.\n`;
    writeFileSync(join(folder, 'my-docs', `${town.toLowerCase()}.md`), text);
  }
}

function fillIn(folder: string): void {
  const lines = readFileSync(join(folder, CASES), 'utf8').trimEnd().split('\n');
  const filled = lines.map((line, at) => {
    const draft = JSON.parse(line) as { files: string[] };
    const n = TOWNS.findIndex((town) => draft.files[0] === `${town.toLowerCase()}.md`);
    if (n < 0) return { ...draft, question: `Which colour has the flag of country number ${at}${at}?` };
    return {
      ...draft,
      question: `How deep is the harbour of ${TOWNS[n]}?`,
      key_facts: [{ any: [`${100 + n} metres`] }],
    };
  });
  writeFileSync(join(folder, CASES), filled.map((item) => `${JSON.stringify(item)}\n`).join(''));
}

async function serveAndAsk(folder: string): Promise<void> {
  const cli = join(folder, 'node_modules', 'askdocs', 'scripts', 'askdocs.js');
  const env = { PATH: process.env.PATH, HOME: folder, ASKDOCS_EMBED_MODEL: 'none' };
  const child = spawn(process.execPath, [cli, 'serve', '--port', '0'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    let err = '';
    child.stderr.on('data', (data: Buffer) => {
      err += data;
    });
    await expect.poll(() => err, { timeout: 60_000 }).toMatch(/askdocs answers on/);
    const url = /askdocs answers on (\S+)/.exec(err)?.[1] ?? '';
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ question: 'How deep is the harbour of Inn?' });
    const response = await fetch(`${url}/ask?stream=false`, { method: 'POST', headers, body });
    expect(await response.text()).toContain('108 metres');
    expect((await fetch(url)).headers.get('content-type')).toContain('text/html');
    child.kill('SIGTERM');
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
  } finally {
    child.kill('SIGKILL');
  }
}
