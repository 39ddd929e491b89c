import { describe, expect, it } from 'vitest';
import { pdfOf, typeset } from '../../testing/files.ts';
import { longText, readAs } from '../../testing/read.ts';
import { Unreadable } from '../document.ts';
import { placed } from '../passages.ts';

describe('PDF', () => {
  const body = `${longText('A sentence of the limit that goes on and on')}.`;

  it('has headings by size, paragraphs put together, tables, and pages', async () => {
    const document = await readAs(
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
    const { text } = await readAs('a.pdf', pdfOf(pages));
    expect(text).toBe([1, 2, 3, 4].map((number) => `Words of page ${number} are divided here.`).join('\n\n'));
  });

  it('names pages without text, and takes its title from what the file says', async () => {
    const document = await readAs(
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
    await expect(readAs('a.pdf', content)).rejects.toThrow(Unreadable);
    await expect(readAs('a.pdf', content)).rejects.toThrow(reason);
  });
});
