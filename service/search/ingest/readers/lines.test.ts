import { describe, expect, it } from 'vitest';
import { longText, outlineOf, readAs } from '../../testing/read.ts';
import { placed } from '../passages.ts';

describe('notebooks', () => {
  const notebook = (cells: object[]) =>
    JSON.stringify({ metadata: { language_info: { name: 'python' } }, nbformat: 4, cells });

  it('are their text, code and what it printed', async () => {
    const document = await readAs(
      'a.ipynb',
      notebook([
        { cell_type: 'markdown', source: ['# Title\n', 'Words.'] },
        {
          cell_type: 'code',
          source: 'print("a```b")',
          outputs: [{ output_type: 'stream', text: ['a```b\n'] }, { data: { 'image/png': 'x' } }],
        },
      ]),
    );
    expect(document.title).toBe('Title');
    expect(document.text).toBe('# Title\nWords.\n\n````python\nprint("a```b")\n````\n\n````text\na```b\n````');
    expect(placed(document, 'a.ipynb').chunks[0]?.place).toBeUndefined();
  });

  it.each(['{', '[]', '{"cells": 3}', `${'['.repeat(100_000)}`])('%.10j is refused', async (text) => {
    await expect(readAs('a.ipynb', text)).rejects.toThrow(/is broken/);
  });
});

describe('formats of lines', () => {
  it('reStructuredText: headings by adornment, code, directives, comments', async () => {
    const document = await readAs(
      'a.rst',
      '=====\nTitle\n=====\n\nWords::\n\n    code here\n\nMore words.\n\nPart\n----\n\n.. a comment\n   over lines\n\n.. code-block:: python\n\n   print(1)\n\n   print(2)\n\n.. note:: Mind\n   this.\n\n- one\n- two\n\n.. image:: a.png\n\nSub ``x``\n~~~~~~~~~\n\nLast.\n\nOther\n-----\n\nEnd.\n',
    );
    expect(outlineOf(document)).toEqual([
      ['Title', ['text: =====\nTitle\n=====', 'text: Words::', 'code:     code here', 'text: More words.']],
      [
        'Title > Part',
        [
          'text: Part\n----',
          'code: .. code-block:: python\n\n   print(1)\n\n   print(2)',
          'text: .. note:: Mind',
          'text:    this.',
          'item: - one',
          'item: - two',
        ],
      ],
      ['Title > Part > Sub x', ['text: Sub ``x``\n~~~~~~~~~', 'text: Last.']],
      ['Title > Other', ['text: Other\n-----', 'text: End.']],
    ]);
  });

  it('AsciiDoc: headings, listings, tables, attributes', async () => {
    const document = await readAs(
      'a.adoc',
      '= Title\nAuthor <a@b.example>\n:toc:\n\nWords.\n\n== Part\n:x: y\n\n[source,js]\n----\nlet a;\n\n== not a heading\n----\n\n* one\n* two\n\n|===\n|a |b\n\n|1 |2\n|===\n\n////\nhidden\n////\n// hidden\n=== Sub `x`\nEnd.\n',
    );
    expect(outlineOf(document)).toEqual([
      ['Title', ['text: = Title', 'text: Words.']],
      [
        'Title > Part',
        [
          'text: == Part',
          'code: ----\nlet a;\n\n== not a heading\n----',
          'item: * one',
          'item: * two',
          'table: |===\n|a |b\n\n|1 |2\n|===',
        ],
      ],
      ['Title > Part > Sub x', ['text: === Sub `x`', 'text: End.']],
    ]);
  });

  it('MDX: without its imports, exports and comments; Markdown with front matter of TOML', async () => {
    const mdx = await readAs(
      'a.mdx',
      'import X from "x"\n\nexport const a = {\n  b: 1,\n}\n\n# Title\n\n{/* note */}\n\n<X>Words</X>\n\n```js\nimport y from "y"\n```\n',
    );
    expect(outlineOf(mdx)).toEqual([
      ['Title', ['text: # Title', 'text: <X>Words</X>', 'code: ```js\nimport y from "y"\n```']],
    ]);
    expect((await readAs('a.md', '+++\ntitle = "From TOML"\n+++\n\nWords.')).title).toBe('From TOML');
  });

  it('passages know their line, whatever ends the lines', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const document = await readAs('a.md', [`# A`, '', longText('one'), '', '## B', '', longText('two')].join(end));
      expect(placed(document, 'a.md').chunks.map(({ place }) => place)).toEqual([{ line: 1 }, { line: 5 }]);
    }
  });
});

describe('encodings', () => {
  const russian = Buffer.from(
    'cce0eaf1e8ece0ebfcedfbe920f0e0e7ece5f020f2e5ebe020e7e0eff0eef1e020f1eef1f2e0e2ebffe5f220eee4e8ed20ece5e3e0e1e0e9f22e',
    'hex',
  );
  it.each([
    ['UTF-8 with a mark', Buffer.from('\ufeffgrüße'), 'grüße'],
    ['UTF-16 with a mark', Buffer.from('\ufeffgrüße', 'utf16le'), 'grüße'],
    ['UTF-16, big end first', Buffer.from('\ufeffgrüße', 'utf16le').swap16(), 'grüße'],
    ['UTF-16 without a mark', Buffer.from('words and more words', 'utf16le'), 'words and more words'],
    [
      'windows-1252',
      Buffer.from('Die Gr\xf6\xdfe der T\xfcr: \x845 m\x93, sagt der Kollege', 'latin1'),
      'Die Größe der Tür: „5 m“, sagt der Kollege',
    ],
    ['windows-1251', russian, 'Максимальный размер тела запроса составляет один мегабайт.'],
    [
      'damaged UTF-8',
      Buffer.concat([Buffer.from('größer, höher, wärmer, schöner '), Buffer.of(0xff)]),
      'größer, höher, wärmer, schöner \ufffd',
    ],
  ])('%s', async (_, content, text) => expect((await readAs('a.txt', content)).text).toBe(text));

  it('what is no text is refused', async () => {
    await expect(readAs('a.txt', Buffer.from('a\0b'))).rejects.toThrow('is binary, not text');
  });
});
