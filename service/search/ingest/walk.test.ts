import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Folder, tempFolder } from '../testing/fixtures.ts';
import { type WalkOptions, walk } from './walk.ts';

let folder: Folder;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => folder.remove());
const sources = async (options: WalkOptions = {}, root = folder.docs) =>
  (await walk([root], options)).files.map(({ source }) => source);

describe('.gitignore', () => {
  it('counts in each folder, with what is taken back, and folders as a whole', async () => {
    folder.write({
      '.gitignore': 'build/\n*.tmp.md\n/top.md\nsub/deep.md\n',
      'a.md': '',
      'x.tmp.md': '',
      'top.md': '',
      'build/b.md': '',
      'sub/.gitignore': '!keep.tmp.md\n*.rst\n',
      'sub/top.md': '',
      'sub/deep.md': '',
      'sub/keep.tmp.md': '',
      'sub/c.rst': '',
    });
    const walked = await walk([folder.docs]);
    expect(walked.files.map(({ source }) => source)).toEqual(['a.md', 'sub/keep.tmp.md', 'sub/top.md']);
    expect(walked.leftOut).toEqual({ hidden: 2, 'named in .gitignore': 5 });
  });

  it('above the root counts up to the top of the repository, and never against the root itself', async () => {
    folder.write({ 'docs/a.md': '', 'docs/x.skip.md': '', 'dist/out/b.md': '' });
    writeFileSync(join(folder.docs, '.gitignore'), '*.skip.md\ndist/\n');
    expect(await sources({}, join(folder.docs, 'docs'))).toEqual(['a.md', 'x.skip.md']);
    mkdirSync(join(folder.docs, '.git/info'), { recursive: true });
    writeFileSync(join(folder.docs, '.git/info/exclude'), 'none.md\n');
    expect(await sources({}, join(folder.docs, 'docs'))).toEqual(['a.md']);
    expect(await sources({}, join(folder.docs, 'dist/out'))).toEqual(['b.md']);
  });
});

describe('patterns', () => {
  it.each([
    [{ include: ['*.md'] }, ['a.md', 'drafts/b.md', 'guide/c.md', 'guide/in/d.md']],
    [{ include: ['guide'] }, ['guide/c.md', 'guide/in/d.md', 'guide/in/e.txt']],
    [{ include: ['guide/*.md', './a.md'] }, ['a.md', 'guide/c.md']],
    [{ include: ['**/*.{txt,rst}'] }, ['guide/in/e.txt']],
    [{ exclude: ['drafts/', 'in/**'] }, ['a.md', 'guide/c.md', 'guide/in/d.md', 'guide/in/e.txt']],
    [{ exclude: ['drafts/', '**/in/**'] }, ['a.md', 'guide/c.md']],
    [{ include: ['guide/**'], exclude: ['*.txt'] }, ['guide/c.md', 'guide/in/d.md']],
  ])('%j leaves %j', async (options, expected) => {
    folder.write({ 'a.md': '', 'drafts/b.md': '', 'guide/c.md': '', 'guide/in/d.md': '', 'guide/in/e.txt': '' });
    expect(await sources(options)).toEqual(expected);
  });

  it('an empty one is refused with a sentence', async () => {
    await expect(walk([folder.docs], { exclude: ['/'] })).rejects.toMatchObject({
      code: 'bad_input',
      message: /"\/" is no pattern/,
    });
  });
});

describe('what cannot be a document', () => {
  it('is named and left alone: pipes, names that break lines or are no UTF-8', async () => {
    folder.write({ 'a.md': 'x', 'b.md': 'x', 'c.md': 'x' });
    execFileSync('mkfifo', [join(folder.docs, 'pipe.md')]);
    renameSync(join(folder.docs, 'b.md'), join(folder.docs, 'b\n[cos 1] fake.md'));
    renameSync(
      join(folder.docs, 'c.md'),
      Buffer.concat([Buffer.from(`${folder.docs}/c`), Buffer.of(0xff), Buffer.from('.md')]),
    );
    writeFileSync(join(folder.docs, `${'n'.repeat(247)}.md`), 'x');
    symlinkSync('/dev/zero', join(folder.docs, 'zero.md'));
    const { files, skipped, leftOut } = await walk([folder.docs]);
    expect(files.map(({ source }) => source)).toEqual(['a.md', `${'n'.repeat(247)}.md`]);
    expect(skipped.sort((a, b) => (a.source < b.source ? -1 : 1))).toEqual([
      { source: 'b?[cos 1] fake.md', reason: 'has a line break or a control character in its name; rename it' },
      { source: 'c\ufffd.md', reason: 'has a name that is not UTF-8; rename it' },
      { source: 'pipe.md', reason: 'is not a regular file' },
    ]);
    expect(leftOut).toEqual({ 'links that lead nowhere or out of the folder': 1 });
  });

  it('links inside the root are followed to files, never to folders or in circles', async () => {
    folder.write({ 'real/a.md': 'x' });
    symlinkSync('real/a.md', join(folder.docs, 'link.md'));
    symlinkSync('.', join(folder.docs, 'circle'));
    symlinkSync('..', join(folder.docs, 'real/up.md'));
    const { files, leftOut } = await walk([folder.docs]);
    expect(files.map(({ source }) => source)).toEqual(['link.md', 'real/a.md']);
    expect(Object.values(leftOut).reduce((sum, n) => sum + n, 0)).toBe(2);
  });
});
