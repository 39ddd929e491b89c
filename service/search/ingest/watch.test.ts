import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openForReading } from '../db.ts';
import { lockForWriting } from '../lock.ts';
import { DOCS, type Folder, tempFolder } from '../testing/fixtures.ts';
import type { IndexSummary } from './index.ts';
import { watchPaths } from './watch.ts';

let folder: Folder;
let controller: AbortController;
let ended: Promise<void>;
let runs: IndexSummary[];
let problems: string[];

/** What readers of the index see now. */
const sources = () => {
  const db = openForReading(folder.db);
  try {
    const rows = db.prepare(
      "SELECT source FROM files WHERE born <= (SELECT value FROM meta WHERE key = 'generation') + 0 ORDER BY source",
    );
    return rows.all().map((row) => (row as { source: string }).source);
  } finally {
    db.close();
  }
};
const started = async (more: object = {}) => {
  ended = watchPaths({
    roots: [folder.docs],
    db: folder.db,
    signal: controller.signal,
    onRun: (summary) => void runs.push(summary),
    onProblem: (message) => void problems.push(message),
    ...more,
  });
  await expect.poll(() => runs.length).toBe(1);
};
/** Milliseconds until the index holds these sources. */
const until = async (expected: string[]) => {
  const from = Date.now();
  await expect.poll(sources, { interval: 20 }).toEqual(expected);
  return Date.now() - from;
};
const BASE = Object.keys(DOCS).sort();

beforeEach(() => {
  folder = tempFolder(DOCS);
  controller = new AbortController();
  [runs, problems] = [[], []];
  ended = Promise.resolve();
});
afterEach(async () => {
  controller.abort();
  await ended;
  folder.remove();
});

describe('a watched folder', () => {
  it('is followed: new, changed, renamed and deleted files, also in new folders', async () => {
    await started();
    folder.write({ 'new/deep/a.md': '# A\n\nwombats' });
    await until([...BASE.slice(0, 1), 'new/deep/a.md', ...BASE.slice(1)]);
    renameSync(join(folder.docs, 'new/deep/a.md'), join(folder.docs, 'z.md'));
    await until([...BASE, 'z.md']);
    folder.write({ 'z.md': '# Z\n\nquokkas' });
    await expect.poll(() => runs.at(-1)).toMatchObject({ changed: 1, unchanged: 3 });
    rmSync(join(folder.docs, 'z.md'));
    await until(BASE);
    expect(problems).toEqual([]);
  });

  it('shows a change within two seconds, and a burst of them in few runs', async () => {
    await started();
    const burst = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`b${at}.md`, `# B${at}\n\nwords`]));
    folder.write(burst);
    await until([...BASE, ...Object.keys(burst)].sort());
    const before = runs.length;
    expect(before).toBeLessThan(6);
    folder.write({ 'one.md': '# One' });
    expect(await until([...BASE, ...Object.keys(burst), 'one.md'].sort())).toBeLessThan(2000);
  });

  it('survives a broken file, a busy index, and its own disappearance', async () => {
    await started();
    folder.write({ 'broken.pdf': 'no pdf' });
    await expect.poll(() => runs.at(-1)?.skipped[0]).toMatchObject({ source: 'broken.pdf', reason: /^is broken/ });
    rmSync(join(folder.docs, 'broken.pdf'));
    const unlock = lockForWriting(folder.db);
    folder.write({ 'later.md': '# Later' });
    await expect.poll(() => problems.join()).toContain('Another askdocs index is writing');
    unlock();
    await until(['later.md', ...BASE]);
    renameSync(folder.docs, `${folder.docs}-away`);
    await expect.poll(() => problems.join()).toContain('is not there; what the index has is kept');
    expect(sources()).toEqual(['later.md', ...BASE]);
    renameSync(`${folder.docs}-away`, folder.docs);
    folder.write({ 'back.md': '# Back' });
    await until(['back.md', 'later.md', ...BASE]);
    for (const name of ['back.md', 'later.md', ...BASE]) rmSync(join(folder.docs, name));
    await until([]);
  });

  it('keeps the first problem from being overlooked: no root, no watch', async () => {
    const roots = [join(folder.root, 'nowhere')];
    const watching = watchPaths({ roots, db: folder.db, signal: controller.signal, onRun() {}, onProblem() {} });
    await expect(watching).rejects.toMatchObject({ code: 'bad_input', message: /There is no file or folder/ });
  });
});

it('kill -9 while following loses nothing, and the next one goes on', async () => {
  const script = fileURLToPath(new URL('../testing/watch-folder.ts', import.meta.url));
  const start = async () => {
    const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), script, folder.docs, folder.db], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    return child;
  };
  const names = [...BASE];
  for (const delay of [150, 250, 350]) {
    const child = await start();
    const more = Array.from({ length: 150 }, (_, at) => `k${delay}-${at}.md`);
    for (const name of more) writeFileSync(join(folder.docs, name), `# ${name}\n\n${'Words and more. '.repeat(80)}`);
    names.push(...more);
    await new Promise((resolve) => setTimeout(resolve, delay));
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(sources()).toEqual(expect.arrayContaining(BASE));
  }
  const child = await start();
  await expect.poll(sources).toEqual(names.sort());
  child.kill('SIGKILL');
  await once(child, 'exit');
});
