/** 10,000 small files: how long the first index takes, a run without changes, and one changed file; and the memory of it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { indexPaths } from '../../service/search/ingest/index.ts';

/** Writes `count` files into folders of a hundred, in three formats, and indexes them by words alone into `db`. */
export async function benchManyFiles(folder: string, db: string, count: number): Promise<void> {
  const docs = join(folder, 'many');
  const path = (at: number) => join(docs, String(Math.floor(at / 100)), `${at}${['.md', '.html', '.txt'][at % 3]}`);
  for (let at = 0; at < count; at++) {
    if (at % 100 === 0) mkdirSync(join(docs, String(at / 100)), { recursive: true });
    writeFileSync(path(at), textOf(at));
  }
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  const run = async (rebuild = false) => (await indexPaths({ roots: [docs], db, rebuild })).ms;
  const first = await run(true);
  const unchanged = await run();
  writeFileSync(path(0), `${textOf(0)}\n\nOne more sentence.\n`);
  const changed = await run();
  clearInterval(timer);
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  console.log(
    `${count} small files by words: first index ${seconds(first)}, unchanged ${seconds(unchanged)}, one changed ${seconds(changed)}; memory grew by ${Math.round((most - before) / 2 ** 20)} MiB at most`,
  );
}

function textOf(at: number): string {
  const sentence = `File ${at} says that option${at % 977} takes ${at % 61} seconds and part${at % 389} of it. `;
  const body = sentence.repeat(1 + (at % 9));
  if (at % 3 === 1) return `<!doctype html><title>${at}</title><main><h1>Page ${at}</h1><p>${body}</p></main>`;
  return at % 3 === 0 ? `# Page ${at}\n\n${body}\n\n## More\n\n${body}\n` : `Page ${at}\n\n${body}\n`;
}
