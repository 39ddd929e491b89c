/** The command as a process of its own: signals, its child, its exit. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { answers, chunkText, type LlmStandIn, llmStandIn, startStream } from '../../service/testing/llm-stand-in.ts';
import { standInCommand } from '../../service/testing/retrieval.ts';
import { eventsOf, post } from '../../service/testing/service.ts';

const CLI = fileURLToPath(new URL('../askdocs.js', import.meta.url));
const WITH_PARENT = ['--import', new URL('../with-parent.js', import.meta.url).href];
const QUESTION = { question: 'What is the default of bodyLimit?' };
const command = (mode: string) =>
  standInCommand(mode)
    .map((word) => `"${word}"`)
    .join(' ');

// Each starts processes, several of them in a row.
vi.setConfig({ testTimeout: 90_000 });

interface Run {
  child: ChildProcess;
  url: string;
  exit: Promise<number | null>;
  err(): string;
}
let runs: Run[] = [];
let llm: LlmStandIn | undefined;
afterEach(async () => {
  for (const { child } of runs) child.kill('SIGKILL');
  runs = [];
  await llm?.close();
  llm = undefined;
});

async function serve(env: Record<string, string> = {}, args: string[] = [], cwd = process.cwd()): Promise<Run> {
  const child = spawn(process.execPath, [...WITH_PARENT, CLI, 'serve', '--port', '0', ...args], {
    cwd,
    env: { PATH: process.env.PATH, ASKDOCS_MCP_COMMAND: command('typed'), ...env },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let err = '';
  child.stderr?.on('data', (data) => {
    err += data;
  });
  const exit = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));
  const run = { child, url: '', exit, err: () => err };
  runs.push(run);
  await Promise.race([exit, expect.poll(() => err, { timeout: 25_000 }).toMatch(/askdocs answers on/)]);
  run.url = /askdocs answers on (\S+)/.exec(err)?.[1] ?? '';
  return run;
}

const childrenOf = (pid: number): number[] => {
  try {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number);
  } catch {
    return [];
  }
};
/** A process that has ended and that nobody has waited for yet still has a number, with the state Z. */
const isAlive = (pid: number) => {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
};

describe('askdocs serve', () => {
  it('SIGTERM: no new questions, the answer in flight ends well, the child goes, exit 0', async () => {
    llm = await llmStandIn(answers(['The ', 'default ', 'is ', '1 MiB ', '[1].'], { delayMs: 150 }));
    const run = await serve({ ASKDOCS_LLM_PROVIDER: 'llamacpp', ASKDOCS_LLM_BASE_URL: llm.url });
    const [child] = childrenOf(run.child.pid as number);
    const asked = post(`${run.url}/ask`, QUESTION).then(eventsOf);
    await expect.poll(() => llm?.open()).toBe(1);
    run.child.kill('SIGTERM');
    await sleep(100);
    await expect(fetch(`${run.url}/healthz`)).rejects.toThrow();
    expect((await asked).at(-1)).toMatchObject({ event: 'done', data: { answer: 'The default is 1 MiB [1].' } });
    expect(await run.exit).toBe(0);
    await expect.poll(() => isAlive(child as number)).toBe(false);
  });

  it('SIGTERM while it waits for a retrieval server that does not greet: exit 0, and the child goes', async () => {
    const started = serve({ ASKDOCS_MCP_COMMAND: command('deaf') });
    await expect.poll(() => childrenOf(runs[0]?.child.pid ?? 0).length, { timeout: 25_000 }).toBe(1);
    const [run, child] = [runs[0] as Run, childrenOf(runs[0]?.child.pid ?? 0)[0] as number];
    // It listens already and tells so with its health: the signal must not cut that short.
    run.child.kill('SIGTERM');
    const at = performance.now();
    expect(await run.exit).toBe(0);
    expect(performance.now() - at).toBeLessThan(20_000);
    await started;
    expect(isAlive(child)).toBe(false);
  });

  it('a second signal exits at once', async () => {
    llm = await llmStandIn(async (res) => {
      startStream(res);
      res.write(chunkText('The '));
    });
    const run = await serve({ ASKDOCS_LLM_PROVIDER: 'llamacpp', ASKDOCS_LLM_BASE_URL: llm.url });
    const asked = post(`${run.url}/ask`, QUESTION).then((response) => response.text());
    asked.catch(() => undefined);
    await expect.poll(() => llm?.open()).toBe(1);
    run.child.kill('SIGTERM');
    await expect.poll(run.err).toMatch(/A second signal stops at once/);
    const at = performance.now();
    run.child.kill('SIGINT');
    expect(await run.exit).toBe(130);
    expect(performance.now() - at).toBeLessThan(1000);
  });

  it('kill -9 of the service ends the retrieval server too', async () => {
    const run = await serve();
    const [child] = childrenOf(run.child.pid as number);
    expect(isAlive(child as number)).toBe(true);
    run.child.kill('SIGKILL');
    await expect.poll(() => isAlive(child as number), { timeout: 5000 }).toBe(false);
  });

  it('a wrong setting, a missing index and a taken port stop the start with a sentence', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'askdocs-serve-'));
    writeFileSync(join(folder, '.env'), 'ASKDOCS_TOP_K=many\n');
    const wrong = await serve({}, [], folder);
    expect([await wrong.exit, wrong.err()]).toEqual([
      64,
      expect.stringContaining('ASKDOCS_TOP_K is "many"; it must be a whole number from 1 to 20.'),
    ]);
    const missing = await serve({ ASKDOCS_TOP_K: '3', ASKDOCS_MCP_COMMAND: '' }, ['--db', 'nowhere.db'], folder);
    expect([await missing.exit, missing.err()]).toEqual([
      64,
      expect.stringContaining('There is no index at nowhere.db'),
    ]);
    const first = await serve();
    const taken = await serve({}, ['--port', new URL(first.url).port]);
    expect([await taken.exit, taken.err()]).toEqual([69, expect.stringContaining('is it taken?')]);
    rmSync(folder, { recursive: true });
  });
});
