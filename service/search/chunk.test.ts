import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunk, SIZES } from './chunk.ts';
import { plain, readMarkdown } from './ingest/readers/markdown.ts';
import { readPlain } from './ingest/readers/plain.ts';

const cut = (text: string) => chunk(readMarkdown(text));
const long = (word: string) => `${word} `.repeat(60).trim();

describe('Markdown', () => {
  it('is cut by heading, with the path of headings', () => {
    const text = `# Top\n\n${long('intro')}\n\n## One\n\n${long('first')}\n\n### Deep\n\n${long('second')}\n\n## Two\n\n${long('third')}\n`;
    expect(cut(text).map(({ heading }) => heading)).toEqual([
      ['Top'],
      ['Top', 'One'],
      ['Top', 'One', 'Deep'],
      ['Top', 'Two'],
    ]);
  });

  it.each([
    ['---\ntitle: "From front matter"\n---\n\n# Heading', 'From front matter'],
    ['<h1 align="center">In <b>HTML</b></h1>\n\ntext', 'In HTML'],
    ['<h1>\n  Over lines\n</h1>\n\ntext', 'Over lines'],
    ['Underlined\n==========\n\ntext', 'Underlined'],
    ['# With [a link](x.md) and `code` #\n\ntext', 'With a link and code'],
    ['no heading at all', ''],
    ['```\n# not a heading\n```', ''],
    ['<!--\n# not a heading\n-->\n\ntext', ''],
  ])('%j has the title %j', (text, title) => expect(readMarkdown(text).title).toBe(title));

  it('keeps snake_case in headings', () =>
    expect(plain('`ERR_INVALID_ARG` and __bold__')).toBe('ERR_INVALID_ARG and bold'));

  it('repeats the header rows of a table that has to be split', () => {
    const rows = Array.from({ length: 80 }, (_, at) => `| option${at} | what option ${at} does, in some words |`);
    const pieces = cut(`# Options\n\n| name | meaning |\n|---|---|\n${rows.join('\n')}\n`);
    expect(pieces.length).toBeGreaterThan(2);
    for (const { text, heading } of pieces) {
      expect(text).toContain('| name | meaning |');
      expect(heading).toEqual(['Options']);
    }
    for (const row of rows) expect(pieces.some(({ text }) => text.includes(row))).toBe(true);
  });

  it('leaves out a table of contents and keeps other lists of links', () => {
    const contents = ['one', 'two', 'three'].map((name) => `- [${name}](#${name})`).join('\n');
    expect(cut(`# T\n\n${long('text')}\n\n${contents}\n`)[0]?.text.endsWith('- [three](#three)')).toBe(false);
    expect(cut('# T\n\n- [a](https://a.example)\n- [b](b.md)\n- [c](c.md)\n')[0]?.text).toContain('(b.md)');
  });

  it('has no passage without a word', () => expect(cut('# \n\n---\n\n***\n')).toEqual([]));
});

describe('any text', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3000 }),
    fc
      .array(
        fc.constantFrom(
          '# H\n',
          '```\n',
          '| a | b |\n',
          '|---|---|\n',
          '- x\n',
          '\n',
          '<!--',
          '-->',
          '🙂漢字',
          'word ',
          'x'.repeat(900),
          '\r\n',
          '===\n',
        ),
        { maxLength: 60 },
      )
      .map((parts) => parts.join('')),
  );
  it('gives bounded passages whose offsets are right, in order', () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, markdown) => {
        let last = 0;
        for (const piece of chunk(markdown ? readMarkdown(text) : readPlain(text))) {
          expect(text.slice(piece.start, piece.end).length).toBeLessThanOrEqual(SIZES.whole + SIZES.small);
          expect(piece.text.endsWith(text.slice(piece.start, piece.end))).toBe(true);
          expect(piece.start).toBeGreaterThanOrEqual(last);
          last = piece.end;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('loses no word of plain paragraphs', () => {
    const text = Array.from({ length: 3000 }, (_, at) => `w${at}${at % 50 === 49 ? '.\n\n' : ''}`).join(' ');
    const found = chunk(readPlain(text)).flatMap((piece) => piece.text.match(/w\d+/g) ?? []);
    expect(found).toEqual(text.match(/w\d+/g));
  });

  it('takes time linear in a hostile text', () => {
    const started = performance.now();
    for (const text of [
      '<'.repeat(200_000),
      '['.repeat(200_000),
      '|'.repeat(200_000),
      '# '.repeat(100_000),
      '- '.repeat(100_000),
      '`'.repeat(200_000),
      '<!--'.repeat(50_000),
      'a '.repeat(500_000),
      '\n'.repeat(200_000),
    ])
      cut(text);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
