import { describe, expect, it } from 'vitest';
import { docxOf, docxWith, pdfOf, typeset } from '../../testing/files.ts';
import { type Document, Unreadable } from '../document.ts';
import { placed } from '../passages.ts';
import { formatOf } from '../readers.ts';

const bytes = (content: string | Buffer) => (typeof content === 'string' ? Buffer.from(content) : content);
const read = async (name: string, content: string | Buffer): Promise<Document> =>
  (await formatOf(name)!.load())(bytes(content), name);
/** Each heading path with the text below it. */
const outline = (document: Document) =>
  document.sections.map(({ heading, blocks }) => [
    heading.join(' > '),
    blocks.map(({ kind, start, end }) => `${kind}: ${document.text.slice(start, end)}`),
  ]);
const long = (word: string) => `${word} `.repeat(120).trim();

describe('HTML', () => {
  const page = `<!doctype html><html><head><title>Guide | Site</title><style>p{}</style></head><body>
    <header><p>Banner</p></header><nav><ul><li><a href="/">Home</a></ul></nav>
    <main><h1>Guide</h1><p>First   <b>words</b> &amp; more<br>next line.
    <h2 id="limits">Limits <a class="headerlink" href="#limits">¶</a></h2><ul><li>one<ul><li>inner</ul><li>two</ul><ol start=3><li>three</ol>
    <table><tr><th>name<th>value<tr><td>size<td>10 | 20</table>
    <pre><code class="language-js">let a  = 1;
if (a &lt; 2) b();</code></pre><script>evil()</script><p hidden>unseen<p style="display: none">unseen</p>
    <div class="sidebar">Menu</div></main><footer>Imprint</footer></body></html>`;

  it('is its main content, with headings, lists, tables and code', async () => {
    const document = await read('a.html', page);
    expect(document.title).toBe('Guide');
    expect(outline(document)).toEqual([
      ['Guide', ['text: # Guide', 'text: First words & more\nnext line.']],
      [
        'Guide > Limits',
        [
          'text: ## Limits',
          'item: - one',
          'item:   - inner',
          'item: - two',
          'item: 3. three',
          'table: | name | value |\n| --- | --- |\n| size | 10 \\| 20 |',
          'code: ```js\nlet a  = 1;\nif (a < 2) b();\n```',
        ],
      ],
    ]);
  });

  it('gives each passage the id of its heading', async () => {
    const document = await read('a.html', `<h1>A</h1><p>${long('one')}</p><h2 id="b">B</h2><p>${long('two')}</p>`);
    expect(placed(document, 'a.html').chunks.map(({ place }) => place)).toEqual([undefined, { anchor: 'b' }]);
  });

  it('is the whole body where main is only a fragment, and has the title of the page where no heading is', async () => {
    const document = await read('a.htm', `<title>T</title><main>x</main><div><p>${long('body')}</p></div>`);
    expect([document.title, document.text.includes('body body')]).toEqual(['T', true]);
  });

  it('knows tables that only place things, and tables of contents', async () => {
    const document = await read(
      'a.html',
      '<table><tr><td><h2>Left</h2><p>text</td></tr></table><ul><li><a href="#a">A</a><li><a id=x href="#b">B</a><li><a href="#c">C</a></ul>',
    );
    expect(document.sections[0]?.heading).toEqual(['Left']);
    expect(placed(document, 'a.html').chunks[0]?.text).toBe('## Left\n\ntext');
  });

  it.each([
    ['<meta charset="iso-8859-1"><p>caf\xe9', 'latin1', 'café'],
    [
      '<meta http-equiv="Content-Type" content="text/html; charset=windows-1252"><p>\x93quoted\x94',
      'latin1',
      '“quoted”',
    ],
    ['<p>\ufeffplain é', 'utf8', 'plain é'],
  ] as const)('%j is decoded', async (html, encoding, text) =>
    expect((await read('a.html', Buffer.from(html, encoding))).text.trim()).toBe(text),
  );

  it('nested a hundred thousand times is read', async () => {
    const deep = await read('a.html', `${'<div><ul><li><b>'.repeat(25_000)}the core`);
    expect(deep.text).toContain('the core');
  });
});

describe('PDF', () => {
  const body = `${long('A sentence of the limit that goes on and on')}.`;

  it('has headings by size, paragraphs put together, tables, and pages', async () => {
    const document = await read(
      'a.pdf',
      pdfOf(
        typeset([
          ['Title', 'The Guide'],
          ['', 'The default is 1048576 bytes, which is exactly one mebibyte of payload for each request that arri-'],
          ['heading1', 'Limits'],
          ['', body],
          [
            ['name', 'value'],
            ['bodyLimit', '1048576'],
            ['timeout', '5000'],
          ],
          ['heading1', 'Last'],
          ['', 'The end of it.'],
        ]),
      ),
    );
    expect(document.title).toBe('The Guide');
    expect(document.sections.map(({ heading }) => heading.join(' > '))).toEqual([
      'The Guide',
      'The Guide > Limits',
      'The Guide > Last',
    ]);
    expect(document.text).toContain('| name | value |\n| --- | --- |\n| bodyLimit | 1048576 |');
    expect(document.text).not.toMatch(/on\nand/);
    const { chunks } = placed(document, 'a.pdf');
    expect(chunks[0]?.place).toEqual({ page: 1 });
    expect(chunks.at(-1)?.place?.page).toBeGreaterThan(1);
    // A paragraph over several pages: its passages do not all stand on the last.
    const pages = chunks.filter(({ text }) => text.includes('goes on')).map(({ place }) => place?.page ?? 0);
    expect(pages).toEqual([...pages].sort((a, b) => a - b));
    expect(new Set(pages).size).toBeGreaterThan(1);
  });

  it('leaves out running heads, page numbers and tables of contents; joins divided words', async () => {
    const pages = [1, 2, 3, 4].map((number) => [
      { text: 'The Manual', size: 9, x: 72, y: 770 },
      { text: `Words of page ${number} are divi-`, size: 11, x: 72, y: 600 },
      { text: 'ded here.', size: 11, x: 72, y: 586 },
      { text: 'Chapter one . . . . . . . . . . 7', size: 11, x: 72, y: 500 },
      { text: String(number), size: 9, x: 300, y: 40 },
    ]);
    const { text } = await read('a.pdf', pdfOf(pages));
    expect(text).toBe([1, 2, 3, 4].map((number) => `Words of page ${number} are divided here.`).join('\n\n'));
  });

  it('names pages without text, and takes its title from what the file says', async () => {
    const document = await read(
      'a.pdf',
      pdfOf([[{ text: 'Some words.', size: 11, x: 72, y: 700 }], []], { title: 'From the file' }),
    );
    expect([document.title, document.warnings]).toEqual(['From the file', ['page 2 without text: blank, or scanned']]);
  });

  it.each([
    ['without any text', pdfOf([[], []]), 'has no text on its 2 pages: if it was scanned'],
    [
      'encrypted',
      pdfOf([[{ text: 'x', size: 11, x: 72, y: 700 }]], { encrypted: true }),
      'is encrypted: remove its password first',
    ],
    ['cut short', pdfOf([[]]).subarray(0, 60), 'is broken: no PDF that can be opened'],
    ['no PDF', Buffer.from('hello'), 'is broken: no PDF that can be opened'],
  ])('%s is refused with the reason', async (_, content, reason) => {
    await expect(read('a.pdf', content)).rejects.toThrow(Unreadable);
    await expect(read('a.pdf', content)).rejects.toThrow(reason);
  });
});

describe('DOCX', () => {
  it('has headings by style, tables and its title', async () => {
    const document = await read(
      'a.docx',
      docxOf([
        ['Title', 'The Guide'],
        ['heading1', 'Limits & more'],
        ['', 'At most 10 <MB>.'],
        [
          ['name', 'value'],
          ['a', '1'],
        ],
        ['heading2', 'Deep'],
        ['', 'End.'],
      ]),
    );
    expect(document.title).toBe('The Guide');
    expect(outline(document)).toEqual([
      ['The Guide', ['text: # The Guide']],
      [
        'The Guide > Limits & more',
        ['text: ## Limits & more', 'text: At most 10 <MB>.', 'table: | name | value |\n| --- | --- |\n| a | 1 |'],
      ],
      ['The Guide > Limits & more > Deep', ['text: ### Deep', 'text: End.']],
    ]);
  });

  it('without text that was deleted under revision, with lists and line breaks', async () => {
    const { text } = await read(
      'a.docx',
      docxWith(
        '<w:p><w:r><w:t>kept</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t> new</w:t></w:r></w:ins><w:r><w:br/><w:t>next</w:t></w:r></w:p>',
      ),
    );
    expect(text).toBe('kept new\nnext');
  });

  it.each([
    ['no archive', Buffer.from('hello there'), 'is broken: no ZIP archive'],
    ['empty', Buffer.alloc(0), 'is broken: no ZIP archive'],
    [
      'of the old format, or encrypted',
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      'is encrypted, or in the older format .doc',
    ],
    ['a bomb by its own words', docxOf([['', 'x']], 0x7fffffff), 'unpacks to more than 200 MB'],
  ])('%s is refused with the reason', async (_, content, reason) => {
    await expect(read('a.docx', content)).rejects.toThrow(reason);
  });
});

describe('notebooks', () => {
  const notebook = (cells: object[]) =>
    JSON.stringify({ metadata: { language_info: { name: 'python' } }, nbformat: 4, cells });

  it('are their text, code and what it printed', async () => {
    const document = await read(
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
    await expect(read('a.ipynb', text)).rejects.toThrow(/is broken/);
  });
});

describe('formats of lines', () => {
  it('reStructuredText: headings by adornment, code, directives, comments', async () => {
    const document = await read(
      'a.rst',
      '=====\nTitle\n=====\n\nWords::\n\n    code here\n\nMore words.\n\nPart\n----\n\n.. a comment\n   over lines\n\n.. code-block:: python\n\n   print(1)\n\n   print(2)\n\n.. note:: Mind\n   this.\n\n- one\n- two\n\n.. image:: a.png\n\nSub ``x``\n~~~~~~~~~\n\nLast.\n\nOther\n-----\n\nEnd.\n',
    );
    expect(outline(document)).toEqual([
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
    const document = await read(
      'a.adoc',
      '= Title\nAuthor <a@b.example>\n:toc:\n\nWords.\n\n== Part\n:x: y\n\n[source,js]\n----\nlet a;\n\n== not a heading\n----\n\n* one\n* two\n\n|===\n|a |b\n\n|1 |2\n|===\n\n////\nhidden\n////\n// hidden\n=== Sub `x`\nEnd.\n',
    );
    expect(outline(document)).toEqual([
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
    const mdx = await read(
      'a.mdx',
      'import X from "x"\n\nexport const a = {\n  b: 1,\n}\n\n# Title\n\n{/* note */}\n\n<X>Words</X>\n\n```js\nimport y from "y"\n```\n',
    );
    expect(outline(mdx)).toEqual([
      ['Title', ['text: # Title', 'text: <X>Words</X>', 'code: ```js\nimport y from "y"\n```']],
    ]);
    expect((await read('a.md', '+++\ntitle = "From TOML"\n+++\n\nWords.')).title).toBe('From TOML');
  });

  it('passages know their line, whatever ends the lines', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const document = await read('a.md', [`# A`, '', long('one'), '', '## B', '', long('two')].join(end));
      expect(placed(document, 'a.md').chunks.map(({ place }) => place)).toEqual([{ line: 1 }, { line: 5 }]);
    }
  });
});

describe('source code', () => {
  const names = async (file: string, text: string) =>
    (await read(file, text)).sections.map(({ heading }) => heading.join('.'));

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
    const { sections, ...document } = await read('src/a.js', text);
    expect(document.title).toBe('a.js');
    expect(sections.map(({ blocks }) => document.text.slice(blocks[0]!.start, blocks.at(-1)!.end))).toEqual([
      '/** Says what. */\nfunction one() {}',
      '// Two.\nfunction two() {}',
    ]);
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
  ])('%s', async (_, content, text) => expect((await read('a.txt', content)).text).toBe(text));

  it('what is no text is refused', async () => {
    await expect(read('a.txt', Buffer.from('a\0b'))).rejects.toThrow('is binary, not text');
  });
});
