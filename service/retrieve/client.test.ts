import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../config.ts';
import type { Logger } from '../log.ts';
import { standInCommand, standInRetriever } from '../testing/retrieval.ts';
import type { Retriever } from './client.ts';

let folder: string;
let retriever: Retriever;
const never = new AbortController().signal;
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const until = async (condition: () => boolean) => {
  for (let i = 0; i < 400 && !condition(); i += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(condition()).toBe(true);
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'askdocs-retriever-'));
});
afterEach(async () => {
  await retriever?.close();
  rmSync(folder, { recursive: true });
});

describe('a server that keeps the contract', () => {
  it('in plain text', async () => {
    retriever = standInRetriever('text');
    const found = await retriever.search('body limit', 2, never);
    expect(found).toMatchObject({ typed: false, mode: 'unknown', note: null });
    expect(found.passages.map((p) => p.source)).toEqual(['server.md', 'logging.md']);
    expect(await retriever.stats(never)).toEqual({ db: 'stand-in', chunks: '3', files: '3', dim: '384' });
  });

  it('in typed data', async () => {
    retriever = standInRetriever('typed');
    const found = await retriever.search('body limit', 3, never);
    expect(found).toMatchObject({ typed: true, mode: 'hybrid' });
    expect(found.passages[0]).toMatchObject({ title: 'Title', heading: ['Head'], cosine: 0.6 });
  });

  it.each([
    ['empty', 5, 0],
    ['twenty', 20, 20],
    ['twenty', 3, 3],
  ])('mode %s, k %d: %d passages', async (mode, k, count) => {
    retriever = standInRetriever(mode);
    expect((await retriever.search('q', k, never)).passages).toHaveLength(count);
  });

  it('cuts a passage of two megabytes and says so', async () => {
    const lines: string[] = [];
    const log: Logger = { info() {}, warn: (message) => lines.push(message), error() {} };
    retriever = standInRetriever('huge', { log });
    const { passages } = await retriever.search('q', 5, never);
    expect(passages[0]?.text).toHaveLength(LIMITS.passageChars);
    expect(lines).toEqual(['a passage is too long and was cut']);
  });
});

describe('a server that fails', () => {
  it('crashing once in a call: is started again, and the call is answered', async () => {
    retriever = standInRetriever(`crash-once:${join(folder, 'crashed')}`);
    expect((await retriever.search('q', 3, never)).passages).toHaveLength(3);
  });

  it('crashing in each call: one reconnect, then an error', async () => {
    const log = join(folder, 'log');
    retriever = standInRetriever('crash', { command: standInCommand('crash', log) });
    await expect(retriever.search('q', 3, never)).rejects.toMatchObject({
      code: 'retrieval_failed',
      message: /ended during the search/,
    });
    expect(readFileSync(log, 'utf8').match(/tools\/call/g)).toHaveLength(2);
  });

  it('killed between calls: the next call finds a new one', async () => {
    retriever = standInRetriever('text');
    await retriever.search('q', 1, never);
    const first = retriever.pid() as number;
    process.kill(first, 'SIGKILL');
    await until(() => !isAlive(first));
    expect((await retriever.search('q', 1, never)).passages).toHaveLength(1);
    expect(retriever.pid()).not.toBe(first);
  });

  it('killed under ten calls at once: all are answered by one new server', async () => {
    const log = join(folder, 'log');
    retriever = standInRetriever('slow:150', { command: standInCommand('slow:150', log) });
    await retriever.search('q', 1, never);
    const calls = Array.from({ length: 10 }, () => retriever.search('q', 1, new AbortController().signal));
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.kill(retriever.pid() as number, 'SIGKILL');
    for (const found of await Promise.all(calls)) expect(found.passages).toHaveLength(1);
    expect(readFileSync(log, 'utf8').match(/^initialize$/gm)).toHaveLength(2);
  });

  it('hanging once: is killed, started again, and the call is answered', async () => {
    retriever = standInRetriever(`hang-once:${join(folder, 'hung')}`, { limits: { ...LIMITS, retrievalMs: 700 } });
    const pid = retriever.stats(never).then(() => retriever.pid() as number);
    const first = await pid;
    expect((await retriever.search('q', 3, never)).passages).toHaveLength(3);
    await until(() => !isAlive(first));
  });

  it('hanging always: a timeout', async () => {
    retriever = standInRetriever('hang', { limits: { ...LIMITS, retrievalMs: 200 } });
    await expect(retriever.search('q', 3, never)).rejects.toMatchObject({ code: 'timeout' });
  });

  it('that never greets, and one that does not exist: cannot be started', async () => {
    retriever = standInRetriever('deaf', { limits: { ...LIMITS, retrievalStartMs: 300 } });
    await expect(retriever.search('q', 3, never)).rejects.toMatchObject({ message: /could not be started/ });
    const missing = standInRetriever('text', { command: ['/no/such/program'] });
    await expect(missing.search('q', 3, never)).rejects.toMatchObject({ code: 'retrieval_failed' });
    await missing.close();
  });

  it.each(['flood', 'garbage'])('that writes %s is understood all the same', async (mode) => {
    retriever = standInRetriever(mode);
    expect((await retriever.search('q', 3, never)).passages).toHaveLength(3);
  });

  it.each([
    ['iserror', /reported a failure/],
    ['refuse', /refused the call/],
    ['nonsense', /not the contract/],
    ['odd', /not the contract/],
  ])('with %s: an error at once, no restart, no detail', async (mode, message) => {
    const log = join(folder, 'log');
    retriever = standInRetriever(mode, { command: standInCommand(mode, log) });
    const error = await retriever.search('q', 3, never).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'retrieval_failed', message });
    expect((error as Error).message).not.toContain('secret');
    expect(readFileSync(log, 'utf8').match(/^initialize$/gm)).toHaveLength(1);
  });

  it('that writes what is no protocol without end is killed long before the call times out', async () => {
    const limits = { ...LIMITS, retrievalMs: 80_000 };
    retriever = standInRetriever('babble', { limits });
    await expect(retriever.search('q', 5, never)).rejects.toMatchObject({
      code: 'retrieval_failed',
      message: 'The retrieval server ended during the search.',
    });
  }, 90_000);
});

describe('leaving and closing', () => {
  it('a caller that leaves is let go at once, and the server stays for the others', async () => {
    retriever = standInRetriever('slow:400');
    await retriever.stats(never);
    const leaver = new AbortController();
    const left = retriever.search('q', 1, leaver.signal);
    const stayed = retriever.search('q', 1, never);
    setTimeout(() => leaver.abort(), 30);
    const started = performance.now();
    await expect(left).rejects.toMatchObject({ code: 'cancelled' });
    expect(performance.now() - started).toBeLessThan(200);
    expect((await stayed).passages).toHaveLength(1);
  });

  it('a caller that leaves while the server starts does not stop the start', async () => {
    retriever = standInRetriever('text');
    const leaver = new AbortController();
    const left = retriever.search('q', 1, leaver.signal);
    leaver.abort();
    await expect(left).rejects.toMatchObject({ code: 'cancelled' });
    expect((await retriever.search('q', 1, never)).passages).toHaveLength(1);
  });

  it('close ends the child, also one that ignores it', async () => {
    for (const mode of ['text', 'stubborn']) {
      const own = standInRetriever(mode);
      await own.stats(never);
      const pid = own.pid() as number;
      await own.close();
      await until(() => !isAlive(pid));
      await expect(own.search('q', 1, never)).rejects.toMatchObject({ code: 'unavailable' });
    }
  });
});
