/** Both phases of an evaluation with real models, one server at a time. Needs python3 with venv, or llama-server in PATH. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCase } from '../harness/testing/fixtures.ts';
import { verifyRun } from '../harness/verify.ts';

const CLI = fileURLToPath(new URL('askdocs.js', import.meta.url));
const DOC = '# Limits\n\nThe payload limit is 1048576 bytes. A larger payload is refused with status 413.\n';
const ENVIRONMENT = { ...process.env, ASKDOCS_EMBED_MODEL: 'none', ASKDOCS_LLM_MAX_TOKENS: '24' };

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'askdocs-phases-'));
  writeFileSync(join(dir, 'limits.md'), DOC);
  const cases = ['What is the payload limit?', 'Which status refuses a larger payload?'].map((question, index) =>
    makeCase({ id: `c${index}`, question, files: ['limits.md'] }),
  );
  writeFileSync(join(dir, 'cases.jsonl'), cases.map((item) => `${JSON.stringify(item)}\n`).join(''));
  const made = spawnSync(process.execPath, [CLI, 'index', join(dir, 'limits.md'), '--db', join(dir, 'docs.db')], {
    env: ENVIRONMENT,
    encoding: 'utf8',
  });
  expect(made.stderr + made.stdout).toContain('1 file, 1 passage');
  expect(made.status).toBe(0);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Ended {
  code: number | null;
  err: string;
  /** The largest number of llama.cpp servers of this command that were seen at once, and after it. */
  servers: { most: number; after: number };
}

async function evaluate(out: string, flags: string[], interruptAt?: RegExp): Promise<Ended> {
  const args = ['eval', 'all', '--cases', join(dir, 'cases.jsonl'), '--db', join(dir, 'docs.db'), '--out', out];
  const child = spawn(process.execPath, [CLI, ...args, '--slots', '1', ...flags], { cwd: dir, env: ENVIRONMENT });
  let err = '';
  child.stdout.resume();
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    if (interruptAt?.test(err) && !child.killed) child.kill('SIGINT');
  });
  let most = 0;
  const mine = new Set<number>();
  const watch = setInterval(() => {
    most = Math.max(most, serversOf(child.pid ?? 0, mine));
  }, 200);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearInterval(watch);
  return { code, err, servers: { most, after: [...mine].filter(isAlive).length } };
}

/** Programs of llama.cpp among the descendants of a process; each seen is kept in `seen`. */
function serversOf(root: number, seen: Set<number>): number {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const rows = stdout.split('\n').map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line));
  const family = new Set([root]);
  const servers: number[] = [];
  for (const row of rows) {
    const [pid, parent] = [Number(row?.[1]), Number(row?.[2])];
    if (row === null || !family.has(parent)) continue;
    family.add(pid);
    if (/llama[-_.]?(?:cpp|server)/i.test(row[3] ?? '') && !/llama-server\.sh/.test(row[3] ?? '')) servers.push(pid);
  }
  for (const pid of servers) seen.add(pid);
  return servers.length;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('answers, then judges, each with its own server, which is gone after its phase', async () => {
  const out = join(dir, 'whole');
  const { code, err, servers } = await evaluate(out, ['--answer-gguf', 'tiny', '--judge-gguf', 'tiny']);
  expect(err).toContain(`2 answers in ${out}`);
  expect(err).toMatch(/verdicts by llm/);
  expect(code).toBe(0);
  expect(verifyRun(out)).toEqual([]);
  expect(readFileSync(join(out, 'manifest.json'), 'utf8')).toMatch(/"sha256": "[0-9a-f]{64}"/);
  expect(servers).toEqual({ most: 1, after: 0 });
});

test('Ctrl-C while a model answers says what is kept, and leaves no server behind', async () => {
  const { code, err, servers } = await evaluate(join(dir, 'cut'), ['--answer-gguf', 'tiny', '--runs', '20'], /\d+\/40/);
  expect(err).toMatch(/Stopped: \d+ of 40 answers are kept/);
  expect(code).toBe(130);
  expect(servers).toEqual({ most: 1, after: 0 });
});

test('a file that is no model: one sentence with the last words of the server', async () => {
  writeFileSync(join(dir, 'broken.gguf'), 'this is no model');
  const { code, err, servers } = await evaluate(join(dir, 'none'), ['--answer-gguf', join(dir, 'broken.gguf')]);
  expect(err).toMatch(/the server for broken\.gguf did not come up/);
  expect(code).toBeGreaterThan(0);
  expect(servers.after).toBe(0);
});
