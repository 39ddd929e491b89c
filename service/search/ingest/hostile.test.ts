import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, ftruncateSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../store.ts';
import { docxOf, docxWith, pdfOf } from '../testing/files.ts';
import { type Folder, tempFolder } from '../testing/fixtures.ts';
import { readWhole } from './file.ts';
import { indexPaths } from './index.ts';
import { formatOf } from './readers.ts';
import { createSandbox, LIMITS } from './sandbox.ts';

let folder: Folder;
beforeAll(() => {
  folder = tempFolder({ 'good.md': '# Good\n\nWombats are fine.' });
});
afterAll(() => folder.remove());
const at = (name: string) => join(folder.docs, name);
const sparse = (name: string, size: number) => {
  const file = openSync(at(name), 'w');
  ftruncateSync(file, size);
  closeSync(file);
};
const GB = 1024 ** 3;

describe('a folder of hostile files', () => {
  it('is indexed but for them, each with its reason, within bounded memory', async () => {
    const text = { size: 11, x: 72, y: 700 };
    sparse('line.jsonl', GB);
    sparse('line.md', GB);
    sparse('huge.pdf', GB);
    sparse('zeros.txt', 1024 * 1024);
    writeFileSync(at('bomb.docx'), docxOf([['', 'x']], 0x7fffffff));
    writeFileSync(at('liar.docx'), docxWith('<w:p/>'.repeat(100_000), 10));
    writeFileSync(at('loop.pdf'), pdfOf([[{ text: 'Looping wombats.', ...text }]], { looping: true }));
    writeFileSync(at('secret.pdf'), pdfOf([[{ text: 'x', ...text }]], { encrypted: true }));
    writeFileSync(at('deep.html'), `${'<div>'.repeat(20_000)}<p>Deep wombats.`);
    writeFileSync(at('deep.ipynb'), '['.repeat(500_000));
    writeFileSync(at('deep.docx'), docxWith(`${'<w:sdt>'.repeat(10_000)}${'</w:sdt>'.repeat(10_000)}`));
    const before = process.memoryUsage.rss();
    const summary = await indexPaths({ roots: [folder.docs], db: folder.db });
    expect(process.memoryUsage.rss() - before).toBeLessThan(400 * 1024 * 1024);
    const reasons = Object.fromEntries(summary.skipped.map(({ source, reason }) => [source, reason]));
    expect(reasons).toMatchObject({
      'line.jsonl': 'has a line longer than 4 MB; 0 records before it were read',
      'line.md': 'larger than 20 MB',
      'huge.pdf': 'larger than 200 MB',
      'zeros.txt': 'is binary, not text',
      'bomb.docx': 'unpacks to more than 200 MB',
      'loop.pdf': 'is broken: none of its pages can be read',
      'liar.docx': expect.stringMatching(/^is broken/),
      'secret.pdf': 'is encrypted: remove its password first',
      'deep.ipynb': expect.stringMatching(/^is broken/),
      'deep.docx': expect.stringMatching(/^is broken|^takes/),
    });
    const store = await openStore(folder.db);
    const found = (await store.search({ query: 'wombats', k: 20, gate: false })).passages.map(({ source }) => source);
    store.close();
    expect(found).toEqual(expect.arrayContaining(['good.md', 'deep.html']));
  }, 120_000);
});

describe('the process that reads hostile files', () => {
  const markdown = formatOf('a.md')!;
  const slow = Buffer.from(`# a${' '.repeat(3900)}b\n`.repeat(2000));

  it('is ended when a file takes too long, and the next file is read by a new one', async () => {
    const sandbox = createSandbox({ ...LIMITS, ms: 300, msPerMb: 0 });
    await expect(sandbox.read(markdown, slow, 'slow.md')).rejects.toThrow('takes longer than 0 s to read');
    expect((await sandbox.read(markdown, Buffer.from('# Fine'), 'fine.md')).title).toBe('Fine');
    sandbox.close();
  });

  it('is ended when it takes too much memory, also outside the heap', async () => {
    const sandbox = createSandbox({ ...LIMITS, bytes: 300 * 1024 * 1024 });
    const bomb = docxWith('<w:p><w:r><w:t>x</w:t></w:r></w:p>'.repeat(500_000));
    await expect(sandbox.read(formatOf('a.docx')!, bomb, 'bomb.docx')).rejects.toThrow(
      'takes more than 300 MB of memory',
    );
    sandbox.close();
  });

  it('is ended when nobody waits for it any more', async () => {
    const [sandbox, controller] = [createSandbox(), new AbortController()];
    setTimeout(() => controller.abort(), 1500);
    await expect(sandbox.read(markdown, slow, 'slow.md', controller.signal)).rejects.toMatchObject({
      code: 'cancelled',
    });
    sandbox.close();
  });

  it('does not outlive a parent that was killed, even in the middle of a file', async () => {
    const script = `
      const { createSandbox } = await import(${JSON.stringify(new URL('./sandbox.ts', import.meta.url).href)});
      const { formatOf } = await import(${JSON.stringify(new URL('./readers.ts', import.meta.url).href)});
      const slow = Buffer.from(('# a'.padEnd(3900) + 'b\\n').repeat(3000));
      await createSandbox().read(formatOf('a.md'), slow, 'a.md');`;
    const tsx = import.meta.resolve('tsx');
    const parent = spawn(process.execPath, ['--import', tsx, '--input-type=module', '-e', script], {
      stdio: 'inherit',
    });
    let child = 0;
    await expect.poll(() => (child = readerBelow(parent.pid ?? 0))).toBeGreaterThan(0);
    // Busy by now, so that it hears no message.
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect(isAlive(child)).toBe(true);
    parent.kill('SIGKILL');
    await expect.poll(() => isAlive(child)).toBe(false);
  });
});

/** Process of the reader that a parent has started, 0 for none yet. */
function readerBelow(parent: number): number {
  const pids = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ');
  const isReader = (pid: string) =>
    pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sandbox-child');
  return Number(pids.find(isReader) ?? 0);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a file that changes while it is read', () => {
  it('is never read by half', async () => {
    const path = at('growing.md');
    writeFileSync(path, 'line\n'.repeat(400_000));
    const timer = setInterval(() => appendFileSync(path, 'line\n'), 1);
    const outcome = await readWhole(path, 20 * 1024 * 1024).then(
      (bytes) => bytes.length % 5,
      (error: Error) => error.message,
    );
    clearInterval(timer);
    expect([0, 'changed while it was read; the next run takes it']).toContain(outcome);
  });
});
