import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Embedder } from '../../service/search/embed/embedder.ts';
import { openEmbedder } from '../../service/search/embed/open.ts';
import { indexPaths } from '../../service/search/ingest/index.ts';
import { answers, llmStandIn } from '../../service/testing/llm-stand-in.ts';
import { standInService } from '../../service/testing/service.ts';
import { examine } from '../doctor/examine.ts';
import { nodeCheck, portCheck } from '../doctor/machine.ts';
import { runCliIn } from '../testing/run-cli.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'askdocs-doctor-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** In this process; the search server is one of its own all the same. */
async function doctor(env: Record<string, string> = {}) {
  const local = { ASKDOCS_PORT: '0', ASKDOCS_MCP_DB: join(dir, 'docs.db'), ASKDOCS_MODELS_DIR: dir };
  const checks = await examine({ ...local, ...env });
  return {
    fails: checks.some(({ level }) => level === 'fail'),
    named: (name: string) => checks.filter((check) => check.name === name),
  };
}

async function makeIndex(embedder: Embedder | null = null): Promise<void> {
  writeFileSync(join(dir, 'a.md'), '# Limits\n\nThe limit is 5 MB.\n');
  await indexPaths({ roots: [dir], db: join(dir, 'docs.db'), embedder });
}

test('an index, no model: nothing fails, and what could be better is said', async () => {
  await makeIndex();
  const { fails, named } = await doctor();
  expect(fails).toBe(false);
  expect(named('index')).toEqual([
    {
      name: 'index',
      level: 'ok',
      found: `${join(dir, 'docs.db')}: 1 passages of 1 files, searched by words alone`,
      todo: null,
    },
  ]);
  expect(named('embedder')[0]).toMatchObject({ level: 'warn', todo: expect.stringContaining('askdocs models pull') });
  expect(named('model')[0]).toMatchObject({ level: 'ok', found: expect.stringContaining('extractive') });
  expect(named('disk')[0]?.found).toMatch(/^\d+\.\d GB free in /);
  expect(named('Python')).toHaveLength(1);
});

test('Python is looked for only where it would be used', async () => {
  expect((await doctor({ ASKDOCS_EMBED_MODEL: 'none' })).named('Python')).toEqual([]);
});

describe('the index', () => {
  test('none: fails, with the command that makes one', async () => {
    const { fails, named } = await doctor();
    expect(fails).toBe(true);
    expect(named('index')[0]).toMatchObject({
      level: 'fail',
      found: expect.stringMatching(/^none at .*docs\.db$/),
      todo: `Make one: askdocs index FOLDER --db ${join(dir, 'docs.db')}`,
    });
  });

  test('behind an address where nobody is: fails with what was said, and takes it for no file', async () => {
    const { fails, named } = await doctor({ ASKDOCS_MCP_DB: 'milvus://127.0.0.1:1/docs' });
    expect(fails).toBe(true);
    expect(named('index')[0]?.found).not.toContain('none at');
  });

  test('a file that is none: fails with the sentence of the search server', async () => {
    writeFileSync(join(dir, 'other.db'), 'no database at all, only text');
    const { fails, named } = await doctor({ ASKDOCS_MCP_DB: join(dir, 'other.db') });
    expect(fails).toBe(true);
    expect(named('index')[0]?.found).toMatch(/other\.db is not an askdocs index/);
  });

  test('without vectors where there is an embedder: works, and says what to do', async () => {
    await makeIndex();
    const { named } = await doctor({ ASKDOCS_EMBED_URL: await embedServer(), ASKDOCS_EMBED_MODEL: 'toy' });
    expect(named('embedder')[0]).toMatchObject({ level: 'ok', found: 'toy, 3 dimensions' });
    expect(named('index')[0]).toMatchObject({ level: 'warn', todo: expect.stringContaining('It has no vectors') });
  });

  test('made with another embedder than the settings name: fails, with the command that rebuilds it', async () => {
    const url = await embedServer();
    await makeIndex((await openEmbedder({ url, model: 'toy' })).embedder);
    const { fails, named } = await doctor({ ASKDOCS_EMBED_URL: url, ASKDOCS_EMBED_MODEL: 'other' });
    expect(fails).toBe(true);
    expect(named('index')[0]?.found).toMatch(/was made with the embedder toy .*--rebuild/);
  });
});

/** Gives every text the same vector. */
async function embedServer(): Promise<string> {
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const part of req) body += part;
    const { input } = JSON.parse(body) as { input: string | string[] };
    const data = [input].flat().map((_, index) => ({ index, embedding: [1, 0, 0] }));
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

describe('the model', () => {
  test('slots and context of llama.cpp against the settings', async () => {
    await makeIndex();
    const props = { total_slots: 2, default_generation_settings: { n_ctx: 1024 } };
    const model = await llmStandIn(answers(['x']), props);
    onTestFinished(() => model.close());
    const { fails, named } = await doctor({ ASKDOCS_LLM_PROVIDER: 'llamacpp', ASKDOCS_LLM_BASE_URL: model.url });
    expect(fails).toBe(false);
    const [reached, slots, context] = named('llama.cpp');
    expect(reached).toMatchObject({ level: 'ok', found: `${model.url} answers, 2 slots, 1024 tokens each` });
    expect(slots?.found).toContain('set it to 2, or start the server with -np 4');
    expect(context?.found).toContain('A slot of the llama.cpp server holds 1024 tokens');
  });

  test('not there: fails, with a command line that starts one', async () => {
    const { fails, named } = await doctor({
      ASKDOCS_LLM_PROVIDER: 'llamacpp',
      ASKDOCS_LLM_BASE_URL: 'http://127.0.0.1:1/v1',
      ASKDOCS_MAX_CONCURRENT: '2',
    });
    expect(fails).toBe(true);
    expect(named('llama.cpp')[0]).toMatchObject({
      level: 'fail',
      found: expect.stringContaining('http://127.0.0.1:1/v1 does not answer'),
      todo: expect.stringContaining('-np 2 -c 8192 --port 1'),
    });
  });
});

test('a setting that cannot be read, and one nobody knows', async () => {
  const wrong = await doctor({ ASKDOCS_TOP_K: 'many' });
  expect(wrong.named('settings')[0]).toMatchObject({ level: 'fail', found: expect.stringContaining('ASKDOCS_TOP_K') });
  const unknown = await doctor({ ASKDOCS_TOPK: '3' });
  expect(unknown.named('settings')[0]).toMatchObject({ level: 'warn', found: expect.stringContaining('ASKDOCS_TOPK') });
});

test('the command: one line a check and one for what to do; as JSON the same, and the exit code says whether to go on', async () => {
  const { code, out } = await runCliIn(dir, ['doctor'], { ASKDOCS_PORT: '0' });
  expect(code).toBe(1);
  expect(out).toMatch(/^ok {4}Node +\d/);
  expect(out).toMatch(/\nfail {2}index +none at .*\n +Make one: askdocs index FOLDER/);
  expect(out).toMatch(/\n\n\d+ ok, \d+ to know, 1 to mend\.\n$/);
  await makeIndex();
  const json = await runCliIn(dir, ['doctor', '--format', 'json', '--db', 'docs.db'], { ASKDOCS_PORT: '0' });
  expect([json.code, json.err]).toEqual([0, '']);
  const shown = JSON.parse(json.out);
  expect(shown).toMatchObject({ version: expect.any(String), ok: true });
  expect(shown.checks).toContainEqual(expect.objectContaining({ name: 'index', level: 'ok' }));
});

test.each([
  ['20.19.0', 'ok'],
  ['22.23.3', 'ok'],
  ['24.18.0', 'ok'],
  ['24.19.0', 'warn'],
  ['26.0.0', 'ok'],
  ['20.18.3', 'fail'],
  ['18.20.0', 'fail'],
])('Node %s: %s', (version, level) => {
  expect(nodeCheck(version, '>=20.19').level).toBe(level);
});

test('a port that is taken: by askdocs, or by something else', async () => {
  const service = await standInService();
  const other = createServer((_req, res) => res.end('hello'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    other.close();
    await service.close();
  });
  const ours = Number(new URL(service.url).port);
  expect(await portCheck('127.0.0.1', ours)).toMatchObject({ level: 'ok', found: expect.stringContaining('already') });
  const theirs = (other.address() as AddressInfo).port;
  expect(await portCheck('127.0.0.1', theirs)).toMatchObject({
    level: 'warn',
    todo: expect.stringContaining('--port'),
  });
  expect(await portCheck('192.0.2.1', 8000)).toMatchObject({ level: 'fail' });
});
