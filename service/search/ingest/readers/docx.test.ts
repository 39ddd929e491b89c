import { describe, expect, it } from 'vitest';
import { docxOf, docxWith } from '../../testing/files.ts';
import { outlineOf, readAs } from '../../testing/read.ts';

describe('DOCX', () => {
  it('has headings by style, tables and its title', async () => {
    const document = await readAs(
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
    expect(outlineOf(document)).toEqual([
      ['The Guide', ['text: # The Guide']],
      [
        'The Guide > Limits & more',
        ['text: ## Limits & more', 'text: At most 10 <MB>.', 'table: | name | value |\n| --- | --- |\n| a | 1 |'],
      ],
      ['The Guide > Limits & more > Deep', ['text: ### Deep', 'text: End.']],
    ]);
  });

  it('without text that was deleted under revision, with lists and line breaks', async () => {
    const { text } = await readAs(
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
    await expect(readAs('a.docx', content)).rejects.toThrow(reason);
  });
});
