import { describe, expect, it } from 'vitest';
import { readAs } from '../../testing/read.ts';

describe('source code', () => {
  const names = async (file: string, text: string) =>
    (await readAs(file, text)).sections.map(({ heading }) => heading.join('.'));

  it.each([
    [
      'a.ts',
      'import x from "x";\n\n/** Says. */\nexport async function one(a: number) {\n  if (a) {\n    go();\n  }\n}\n\nexport class Two {\n  private n = 1;\n\n  three(): void {\n    while (true) {}\n  }\n}\n\nconst four = (a: string) => a;\n',
      ['', 'one', 'Two', 'Two.three', 'four'],
    ],
    [
      'a.py',
      'import os\n\n# Says.\n@cached\ndef one(a):\n    return a\n\nclass Two:\n    """Doc."""\n    def three(self):\n        pass\n\nasync def four():\n    pass\n',
      ['', 'one', 'Two', 'Two.three', 'four'],
    ],
    [
      'a.go',
      'package a\n\nfunc (s *Server) One(a int) error {\n\treturn nil\n}\n\ntype Two struct {\n\tN int\n}\n',
      ['', 'One', 'Two'],
    ],
    [
      'a.rs',
      'pub(crate) fn one<T>(a: T) -> T {\n    a\n}\n\nimpl Two {\n    pub fn three(&self) {}\n}\n',
      ['one', 'Two', 'Two.three'],
    ],
    [
      'a.c',
      '#include <a.h>\n\nstatic int one(int a)\n{\n  return a;\n}\n\nint main(void) {\n  return 0;\n}\n',
      ['', 'one', 'main'],
    ],
    [
      'A.java',
      'public class A {\n    public static void main(String[] args) {\n        run();\n    }\n}\n',
      ['A', 'A.main'],
    ],
    ['a.sh', 'set -e\n\none() {\n  true\n}\n', ['', 'one']],
    ['a.sql', 'CREATE TABLE IF NOT EXISTS users (\n  id INT\n);\n', ['users']],
  ])('%s is cut at its declarations', async (file, text, expected) => {
    expect(await names(file, text)).toEqual(expected);
  });

  it('keeps the comment with its function, and every line', async () => {
    const text = '/** Says what. */\nfunction one() {}\n\n// Two.\nfunction two() {}\n';
    const { sections, ...document } = await readAs('src/a.js', text);
    expect(document.title).toBe('a.js');
    expect(sections.map(({ blocks }) => document.text.slice(blocks[0]!.start, blocks.at(-1)!.end))).toEqual([
      '/** Says what. */\nfunction one() {}',
      '// Two.\nfunction two() {}',
    ]);
  });
});
