/** How fast files become an index with vectors, beside the embedder alone. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Embedder } from '../../service/search/embed/embedder.ts';
import { embedSettings, localModel } from '../../service/search/embed/open.ts';
import { indexPaths } from '../../service/search/ingest/index.ts';
import { atLeast, atMost } from './goals.ts';
import { perSecond } from './rate.ts';
import { seededRecords } from './seeded.ts';

export async function benchIndexing(folder: string, db: string, count: number, embedder: Embedder) {
  const docs = join(folder, 'docs');
  mkdirSync(docs);
  const texts = [...seededRecords(count)].map(({ title, text }) => `# ${title}\n\n${text}\n`);
  texts.forEach((text, at) => {
    writeFileSync(join(docs, `${at}.md`), text);
  });
  const run = async (rebuild = false) => (await indexPaths({ roots: [docs], db, embedder, rebuild })).ms;
  const bare = await bareEmbedder(embedder, texts.slice(0, 200));
  const before = await bare();
  const first = await run(true);
  const after = await bare();
  const rate = Math.max(...before.map((value, way) => (value + (after[way] ?? value)) / 2));
  const unchanged = await run();
  writeFileSync(join(docs, '0.md'), `${texts[0]}\nOne more sentence.\n`);
  const changed = await run();
  const share = (ms: number) => `${ms} ms, ${((100 * ms) / first).toFixed(2)}% of the first`;
  const own = count / (first / 1000);
  console.log(
    `${count} files, first index: ${(first / 1000).toFixed(1)} s, ${own.toFixed(1)} passages a second, ${((100 * own) / rate).toFixed(0)}% of the bare embedder (${rate.toFixed(1)})`,
  );
  console.log(`unchanged: ${share(unchanged)}; one file changed: ${share(changed)}`);
  return [
    atLeast('passages a second, indexing / the bare embedder', own / rate, 0.9),
    atMost('a run without changes / the first', unchanged / first, 0.02),
    atMost('a run with one changed file / the first', changed / first, 0.02),
  ];
}

/**
 * Passages a second of the embedder alone, given the same pieces: one figure for its own way and one for a plain session.
 * They are asked before and after, so that a machine that slows down meanwhile does not tell a wrong ratio.
 */
async function bareEmbedder(embedder: Embedder, passages: string[]): Promise<() => Promise<number[]>> {
  const pieces = passages.flatMap((passage) => embedder.pieces(passage));
  const folder = localModel(embedSettings(process.env));
  const ways: ((texts: readonly string[]) => Promise<unknown>)[] = [embedder.embedPassages];
  // Loaded where it is used: an embedder behind HTTP needs none of its packages.
  if (folder !== undefined) ways.push(await (await import('./plain-onnx.ts')).plainOnnx(folder));
  return async () => {
    const rates: number[] = [];
    for (const embed of ways) rates.push(await perSecond(passages.length, () => embed(pieces)));
    return rates;
  };
}
