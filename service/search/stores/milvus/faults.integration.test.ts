/** A real engine that comes and goes under the search server and under the service. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../../config.ts';
import { searchResultSchema } from '../../../contract.ts';
import { silentLogger } from '../../../log.ts';
import { startService } from '../../../serve.ts';
import { indexPaths } from '../../ingest/index.ts';
import { DOCS, type Folder, type Server, startServer, tempFolder } from '../../testing/fixtures.ts';
import { type Milvus, startMilvus } from '../../testing/milvus.ts';
import { openReader, writeMeta } from '../open.ts';

let milvus: Milvus;
let folder: Folder;
let db: string;
beforeAll(async () => {
  milvus = await startMilvus();
  folder = tempFolder(DOCS);
  db = milvus.fresh();
  await indexPaths({ roots: [folder.docs], db });
});
afterAll(async () => {
  await milvus.stop();
  folder.remove();
});

async function call(server: Server): Promise<{ text: string; isError: boolean; ms: number; sources: string[] }> {
  const started = performance.now();
  const result = await server.client.callTool({
    name: 'crag_search',
    arguments: { query: 'maximum payload in bytes' },
  });
  const [first] = result.content as { text: string }[];
  const isError = result.isError === true;
  const sources = isError
    ? []
    : searchResultSchema.parse(result.structuredContent).passages.map(({ source }) => source);
  return { text: first?.text ?? '', isError, ms: performance.now() - started, sources };
}

it('down at the start: the server stands, says so, and answers once the engine is there', async () => {
  await milvus.kill();
  const server = await startServer(db, { ASKDOCS_EMBED_MODEL: 'none', ASKDOCS_SEARCH_TOKEN: 'alice:hush' });
  expect(await call(server)).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^The engine of milvus:\/\/.* cannot be reached; /),
  });
  expect(server.said()).toMatch(/cannot be reached/);
  await milvus.start();
  await expect.poll(() => call(server), { timeout: 20_000 }).toMatchObject({ isError: false, sources: ['server.md'] });
  expect(server.said()).not.toMatch(/alice|hush|nhandled/);
  await server.close();
});

it('down and hanging in the middle: an error within a bound, and answers again without a restart', async () => {
  const server = await startServer(db);
  expect(await call(server)).toMatchObject({ isError: false });
  await milvus.kill();
  const gone = await call(server);
  expect(gone).toMatchObject({ isError: true, text: expect.stringMatching(/cannot be reached|failed/) });
  expect(gone.ms).toBeLessThan(15_000);
  await milvus.start();
  await expect.poll(() => call(server), { timeout: 20_000 }).toMatchObject({ isError: false });
  milvus.signal('SIGSTOP');
  const slow = await call(server);
  expect(slow).toMatchObject({ isError: true, text: expect.stringMatching(/did not answer/) });
  expect(slow.ms).toBeLessThan(15_000);
  milvus.signal('SIGCONT');
  await expect.poll(() => call(server), { timeout: 20_000 }).toMatchObject({ isError: false });
  await server.close();
});

it('started anew: the next run of the indexer, and a change of what the index says of itself, find it as it was', async () => {
  await milvus.kill();
  await milvus.start();
  expect(await indexPaths({ roots: [folder.docs], db })).toMatchObject({ added: 0, changed: 0, removed: 0 });
  await milvus.kill();
  await milvus.start();
  await writeMeta(db, { note: 'kept' });
  const reader = await openReader(db, { dense: false });
  expect((await reader.meta()).note).toBe('kept');
  reader.close();
});

it('the service ends an answer with an error of stage retrieval, and nothing takes the place of the engine', async () => {
  const settings = { ASKDOCS_PORT: '0', ASKDOCS_MCP_DB: db, ASKDOCS_EMBED_MODEL: 'none' };
  const service = await startService(loadConfig(settings), { log: silentLogger });
  const ask = async () => {
    const response = await fetch(`${service.url}/ask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: 'What is the maximum payload in bytes?' }),
    });
    return response.text();
  };
  try {
    expect(await ask()).toMatch(/event: done/);
    await milvus.kill();
    const text = await ask();
    expect(text).toMatch(/event: error\ndata: .*"stage":"retrieval"/);
    expect(text).not.toMatch(/event: (?:sources|token|done)/);
    await milvus.start();
    await expect.poll(ask, { timeout: 20_000 }).toMatch(/event: done/);
  } finally {
    await service.close();
  }
});
