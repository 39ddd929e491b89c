/** What happens while two groups of passages are with the embedder at once. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { indexPaths } from '../../ingest/index.ts';
import { type Folder, fakeEmbedder, tempFolder } from '../../testing/fixtures.ts';

const file = (at: number) => `# File ${at}\n\nThe text of file number ${at} is its own.\n`;
let folder: Folder;

beforeEach(() => {
  // Three groups: 64, 64 and 22.
  folder = tempFolder(Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`${at}.md`, file(at)])));
});
afterEach(() => folder.remove());

/** The fake embedder, which calls `before` with the number of each group. */
function watched(before: (group: number) => Promise<void> | void, texts: string[] = []) {
  let group = 0;
  const embedder = fakeEmbedder();
  return {
    ...embedder,
    embedPassages: async (given: readonly string[]) => {
      group += 1;
      await before(group);
      texts.push(...given);
      return embedder.embedPassages(given);
    },
  };
}

const index = (embedder: ReturnType<typeof watched>, signal?: AbortSignal) =>
  indexPaths({ roots: [folder.docs], db: folder.db, embedder, ...(signal === undefined ? {} : { signal }) });

it('the next group is with the embedder while one is being embedded', async () => {
  let second = () => {};
  const begun = new Promise<void>((resolve) => {
    second = resolve;
  });
  const embedder = watched((group) => (group === 1 ? begun : second()));
  expect(await index(embedder)).toMatchObject({ embedded: 150 });
  expect(await index(watched(() => {}))).toMatchObject({ unchanged: 150, embedded: 0 });
});

it('a text that stands in two groups is embedded once', async () => {
  // Two files with the same title and text are the same text; the readers keep both.
  folder.write({ '0.md': file(7), '149.md': file(7) });
  const texts: string[] = [];
  expect(await index(watched(() => {}, texts))).toMatchObject({ embedded: texts.length });
  expect(new Set(texts).size).toBe(texts.length);
  expect(await index(watched(() => {}))).toMatchObject({ unchanged: 150, embedded: 0 });
});

it('a failure of one group is told while another is waited for, and the next run makes up for both', async () => {
  const failing = watched(async (group) => {
    if (group === 2) throw new Error('the second group');
    if (group === 3) throw new Error('the third group');
  });
  await expect(index(failing)).rejects.toThrow('the second group');
  expect(await index(watched(() => {}))).toMatchObject({ embedded: 150 - 64 });
});

it('when it is stopped, what is with the embedder is still written', async () => {
  const stop = new AbortController();
  const texts: string[] = [];
  const stopping = watched((group) => (group === 2 ? stop.abort() : undefined), texts);
  await expect(index(stopping, stop.signal)).rejects.toMatchObject({ code: 'cancelled' });
  expect(texts).toHaveLength(128);
  expect(await index(watched(() => {}))).toMatchObject({ embedded: 150 - 128 });
});
