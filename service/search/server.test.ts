import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { searchResultSchema } from '../contract.ts';
import { indexPaths } from './ingest/index.ts';
import { DOCS, type Folder, SERVER, type Server, startServer, tempFolder } from './testing/fixtures.ts';

let folder: Folder;
let server: Server;
const args = (db: string) => ['--import', import.meta.resolve('tsx'), SERVER, '--db', db];
const call = async (name: string, input: Record<string, unknown>) => {
  const result = await server.client.callTool({ name, arguments: input });
  const texts = (result.content as { text: string }[]).map(({ text }) => text);
  return { texts, isError: result.isError === true, structured: result.structuredContent };
};
const search = async (query: string, k?: number) => {
  const { structured, ...rest } = await call('crag_search', k === undefined ? { query } : { query, k });
  return { ...rest, ...searchResultSchema.parse(structured) };
};

beforeAll(async () => {
  folder = tempFolder(DOCS);
  await indexPaths({ roots: [folder.docs], db: folder.db });
  server = await startServer(folder.db);
});
afterAll(async () => {
  await server.close();
  folder.remove();
});

describe('the retrieval contract over stdio', () => {
  it('lists both tools and the resource', async () => {
    const { tools } = await server.client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(['crag_search', 'crag_stats']);
    expect(tools[0]?.inputSchema).toMatchObject({
      required: ['query'],
      additionalProperties: false,
      properties: {
        query: { type: 'string', minLength: 1 },
        k: { type: 'integer', minimum: 1, maximum: 20, default: 5 },
      },
    });
    expect((await server.client.listResources()).resources.map(({ uri }) => uri)).toEqual(['crag://stats']);
  });

  it('gives each passage as text with scores and source, and as typed data', async () => {
    const found = await search('What is the body limit in bytes?');
    expect(found).toMatchObject({ mode: 'lexical', note: null, below_gate: [] });
    expect(found.texts[0]).toMatch(/^\[cos n\/a {2}bm25 \d+\.\d\d {2}fusion 1\.000\] server\.md\n/);
    expect(found.texts).toHaveLength(found.passages.length);
    const first = found.passages[0]!;
    expect(first).toMatchObject({ source: 'server.md', title: 'Server', heading: ['Server'] });
    expect(DOCS['server.md'].slice(first.start!, first.end!)).toBe(first.text);
  });

  it('takes k from 1 to 20 and nothing else', async () => {
    expect((await search('server connection', 1)).passages).toHaveLength(1);
    for (const input of [
      { query: '' },
      { query: 'x', k: 0 },
      { query: 'x', k: 21 },
      { query: 'x', k: 1.5 },
      {},
      { query: 'x', more: 1 },
    ]) {
      expect(await call('crag_search', input)).toMatchObject({ isError: true });
    }
  });

  it('holds back what has nothing to do with the question, and still says what was nearest', async () => {
    const found = await search('Which server of the restaurant won the football championship in Brazil?');
    expect(found.passages).toEqual([]);
    expect(found.texts).toEqual([expect.stringMatching(/^\(no chunk cleared the relevance threshold.*\)$/)]);
    expect(found.below_gate.length).toBeGreaterThan(0);
    expect(found.isError).toBe(false);
  });

  it('says when nothing matches at all', async () => {
    expect(await search('xylophone zebra')).toMatchObject({
      texts: ['(no matching chunks)'],
      passages: [],
      below_gate: [],
    });
  });

  it('says what is in the index, as tool and as resource', async () => {
    const { texts } = await call('crag_stats', {});
    expect(texts[0]).toMatch(new RegExp(`^db: ${folder.db}\nchunks: \\d+\nfiles: 3\ndim: 0\nmode: lexical\n`));
    const { contents } = await server.client.readResource({ uri: 'crag://stats' });
    expect((contents[0] as { text: string }).text).toBe(texts[0]);
  });

  it.each([
    '"',
    "'",
    '*',
    'a AND',
    'NEAR(a b, 2)',
    '{title} : x',
    'title:server',
    '^server',
    '-server',
    'server"; DROP TABLE files; --',
    '(((',
    'a\0b',
    '\ud800',
    '🙂🙂🙂',
    '%_',
    '\u202e\u0000',
    `${'server limit '.repeat(1000)}`,
    'x'.repeat(20_000),
  ])('is not troubled by the query %j', async (query) => {
    expect((await search(query)).isError).toBe(false);
    expect((await search('body limit')).passages[0]?.source).toBe('server.md');
  });
});

describe('the process', () => {
  it('ends when its stdin ends', async () => {
    const child = spawn(process.execPath, args(folder.db), {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { ASKDOCS_EMBED_MODEL: 'none' },
    });
    const exit = once(child, 'exit');
    child.stdin.end();
    expect((await exit)[0]).toBe(0);
  });

  it.each([
    [{ CRAG_MIN_COSINE: 'high' }, /CRAG_MIN_COSINE is "high"; it must be a number from -1 to 1/],
    [{ ASKDOCS_EMBED_MODEL: 'nowhere' }, /There is no embedder nowhere/],
    [{ ASKDOCS_EMBED_URL: 'http://127.0.0.1:9' }, /needs ASKDOCS_EMBED_MODEL/],
  ])('refuses settings %j with a sentence', (env, sentence) => {
    const { status, stderr, stdout } = spawnSync(process.execPath, args(folder.db), {
      env,
      encoding: 'utf8',
      input: '',
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(sentence);
  });

  it.each([
    ['missing.db', /There is no index at .*missing\.db; make one with askdocs index/],
    ['docs/server.md', /is not an askdocs index/],
  ])('refuses %s as an index', (name, sentence) => {
    const { status, stderr } = spawnSync(process.execPath, args(`${folder.root}/${name}`), {
      env: {},
      encoding: 'utf8',
      input: '',
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(sentence);
  });

  it('takes the index from CRAG_DB, and the gate off from CRAG_MIN_COSINE', async () => {
    const open = await startServer(folder.db, { CRAG_MIN_COSINE: '-1', ASKDOCS_EMBED_MODEL: 'none' });
    const result = await open.client.callTool({
      name: 'crag_search',
      arguments: { query: 'football championship server' },
    });
    expect(searchResultSchema.parse(result.structuredContent).passages.length).toBeGreaterThan(0);
    await open.close();
    const [node, ...rest] = args('x').slice(0, -2);
    const { status } = spawnSync(process.execPath, [node ?? '', ...rest], {
      env: { CRAG_DB: folder.db, ASKDOCS_EMBED_MODEL: 'none' },
      input: '',
    });
    expect(status).toBe(0);
  });
});
