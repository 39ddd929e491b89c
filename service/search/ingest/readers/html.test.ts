import { describe, expect, it } from 'vitest';
import { longText, outlineOf, readAs } from '../../testing/read.ts';
import { placed } from '../passages.ts';

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
    const document = await readAs('a.html', page);
    expect(document.title).toBe('Guide');
    expect(outlineOf(document)).toEqual([
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
    const document = await readAs(
      'a.html',
      `<h1>A</h1><p>${longText('one')}</p><h2 id="b">B</h2><p>${longText('two')}</p>`,
    );
    expect(placed(document, 'a.html').chunks.map(({ place }) => place)).toEqual([undefined, { anchor: 'b' }]);
  });

  it('is the whole body where main is only a fragment, and has the title of the page where no heading is', async () => {
    const document = await readAs('a.htm', `<title>T</title><main>x</main><div><p>${longText('body')}</p></div>`);
    expect([document.title, document.text.includes('body body')]).toEqual(['T', true]);
  });

  it('knows tables that only place things, and tables of contents', async () => {
    const document = await readAs(
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
    expect((await readAs('a.html', Buffer.from(html, encoding))).text.trim()).toBe(text),
  );

  it('nested forty thousand times is read', async () => {
    const deep = await readAs('a.html', `${'<div><ul><li><b>'.repeat(10_000)}the core`);
    expect(deep.text).toContain('the core');
  });
});
