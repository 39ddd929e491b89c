/** `askdocs ask` as a process of its own, without a service and with one. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REFUSAL_SENTENCE } from '../../service/contract.ts';
import type { Service } from '../../service/serve.ts';
import { standInCommand } from '../../service/testing/retrieval.ts';
import { standInService } from '../../service/testing/service.ts';

const CLI = fileURLToPath(new URL('../askdocs.js', import.meta.url));
const QUESTION = 'What is the default of bodyLimit?';

async function ask(args: string[], mode = 'typed', env: Record<string, string> = {}) {
  const command = standInCommand(mode)
    .map((word) => `"${word}"`)
    .join(' ');
  const child = spawn(process.execPath, [CLI, 'ask', ...args], {
    env: { PATH: process.env.PATH, ASKDOCS_MCP_COMMAND: command, ...env },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  child.stderr.on('data', (data) => {
    err += data;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { out, err, code };
}

describe('askdocs ask', () => {
  let service: Service;
  beforeAll(async () => {
    service = await standInService();
  });
  afterAll(() => service.close());

  it('sends its key to a service that needs one', async () => {
    const keyed = await standInService({ env: { ASKDOCS_API_KEYS: 'first-key-1' } });
    const args = ['--url', keyed.url, QUESTION];
    expect(await ask(args)).toMatchObject({ err: expect.stringMatching(/Send a key/) });
    expect(await ask(args, 'typed', { ASKDOCS_API_KEY: 'first-key-1' })).toMatchObject({ code: 0 });
    await keyed.close();
  });

  it('answers without a service, the sources under the answer', async () => {
    const { out, code } = await ask([QUESTION]);
    expect(out).toMatch(/1048576 bytes, which is 1 MiB\. \[1\]/);
    expect(out).toMatch(/\nSources:\n {2}\[1\] server\.md {2}\(Head\)\n/);
    expect(code).toBe(0);
  });

  it('asks a running service with --url, the same answer', async () => {
    const [here, there] = await Promise.all([ask([QUESTION]), ask([QUESTION, '--url', service.url])]);
    expect(there).toEqual(here);
  });

  it('prints one object with --format json', async () => {
    const { out } = await ask([QUESTION, '--format', 'json', '--k', '2', '--url', service.url]);
    const answer = JSON.parse(out);
    expect(answer).toMatchObject({ refused: false, citations: [1] });
    expect(answer.sources).toHaveLength(2);
  });

  it('shows what came closest on a refusal', async () => {
    const { out, code } = await ask([QUESTION], 'gated');
    expect(out).toContain(`${REFUSAL_SENTENCE}\n\nWhat came closest:\n  - server.md`);
    expect(code).toBe(0);
  });

  it.each([
    [[], 64, /question/i],
    [[' '], 64, /must not be empty/],
    [[QUESTION, '--k', '0'], 64, /--k is "0"; it must be a whole number from 1 to 20/],
    [[QUESTION, '--format', 'xml'], 64, /must be text or json/],
    [[QUESTION, '--url', 'here'], 64, /--url is "here"/],
    [[QUESTION, '--url', 'http://127.0.0.1:1'], 69, /No service answers/],
  ])('%j: exit %d with a sentence', async (args, expected, message) => {
    const { code, err, out } = await ask(args);
    expect([code, out]).toEqual([expected, '']);
    expect(err).toMatch(message);
  });

  it('a failure of retrieval is one sentence and exit 69', async () => {
    const { code, err } = await ask([QUESTION], 'iserror');
    expect([code, err]).toEqual([
      69,
      'askdocs: The retrieval server reported a failure. the disk at /secret/path is on fire\n',
    ]);
  });
});
