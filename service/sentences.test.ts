import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isClaim, splitSentences } from './sentences.ts';

const texts = (text: string) => splitSentences(text).map((sentence) => sentence.text);
const kinds = (text: string) => splitSentences(text).map((sentence) => sentence.kind);

describe('where a sentence ends', () => {
  it.each([
    ['abbreviations', 'Use a store, e.g. Redis, i.e. memory. It works vs. files.', 2],
    [
      'etc. in the middle and at the end',
      'Files, folders etc. are read. It takes names, dates, etc. The rest is skipped.',
      3,
    ],
    ['titles and initials', 'Dr. J. Smith wrote it. Mr. Jones agreed.', 2],
    ['numbers of figures', 'See Fig. 3 and No. 5 on p. 12. The answer is no. That is all.', 3],
    ['dotted capitals', 'The U.S. Government uses it. It began in the U.S. The rest followed.', 3],
    ['decimals', 'It takes 3.5 s at p=.05 and costs 1.000,50 euros. Then it ends.', 2],
    ['versions', 'Since v5.12.8 it works. Version 4.x did not. Node.js 20. Then more.', 4],
    ['a year', 'It was released in 2019. The next came in 2021.', 2],
    ['file names', 'Open package.json, then server.ts. Read .npmrc too.', 2],
    ['URLs', 'See https://example.org/a.b?c=d. Then https://example.org/x.html#y!z is read.', 2],
    ['links', 'Read [What is it? A guide. Part 2](./guide.md#a.b). Then go on.', 2],
    ['code spans', 'Call `a. B()` or ``x ` y. Z`` first. Then `close()`.', 2],
    ['a code span at the start', 'It is fast. `listen()` starts it. fastify does the rest.', 3],
    ['ellipsis', 'Wait... then go on. It ended... Nothing came.', 3],
    ['questions and shouts', 'Does it work? Yes! It does.', 3],
    ['quotes', 'It says "Stop." and leaves. It said "Go." Then it went.', 3],
    ['brackets', 'Set it (see the docs. They are long) to 1. Then start.', 2],
    ['bold', '**It works.** The rest _does._ Not more.', 3],
    ['an enumeration in a line', 'Steps: 1. Install it 2. Run it. Done.', 2],
    ['Chinese', '它很快。默认端口是 3000。真的吗？是的！', 4],
    ['Japanese with quotes', '「速い。」と言った。次の文。', 3],
    ['soft wraps', 'The default is\n1 MiB. It can be\nchanged.', 2],
    ['Devanagari', 'यह तेज़ है। यह अच्छा है।', 2],
  ])('%s', (_name, text, count) => {
    expect(texts(text)).toHaveLength(count);
  });
});

describe('citations behind the full stop', () => {
  it.each([
    ['one', 'It is fast. [1] It is small. [2]', ['It is fast. [1]', 'It is small. [2]']],
    ['several', 'It is fast.[1][2] It is small. [1, 3]', ['It is fast.[1][2]', 'It is small. [1, 3]']],
    ['on the next line', 'It is fast.\n[1] It is small [2].', ['It is fast.\n[1]', 'It is small [2].']],
    ['in a paragraph of its own', 'It is fast.\n\n[1]\n\nMore.', ['It is fast.\n\n[1]', 'More.']],
    ['full-width', '速い。【1】小さい。［2］', ['速い。【1】', '小さい。［2］']],
    ['a range', 'It is fast. [1-3] Then.', ['It is fast. [1-3]', 'Then.']],
    ['within quotes', 'It says "no." [1] Then.', ['It says "no." [1]', 'Then.']],
    ['a link is not one', 'It is fast. [1](a.md) is small.', ['It is fast.', '[1](a.md) is small.']],
  ])('%s', (_name, text, expected) => {
    expect(texts(text)).toEqual(expected);
  });

  it('behind a code block they belong to it', () => {
    const [code] = splitSentences('```js\na.b();\n```\n[2]');
    expect(code).toMatchObject({ kind: 'code', text: '```js\na.b();\n```\n[2]' });
  });
});

describe('blocks', () => {
  it('knows headings, leads, items, code and rows', () => {
    const text = [
      '# Options. All of them', '', 'There are two. They are:', '- `a`: first. It is old.', '  It goes on.', '- [x] b', '',
      '1. one', '2. two', '', '```', 'code. Not split. Ever', '```', '| name | value |', '| --- | --- |', '| a | 1. 2 |', '',
      'Title', '=====', '> A quote. With two.', '', '**Bold heading**', '', '---', '', '[1]: https://example.org',
    ].join('\n'); // biome-ignore format: a document line by line
    expect(kinds(text)).toEqual([
      'heading', 'prose', 'lead', 'item', 'item', 'item', 'item', 'item', 'item', 'code', 'heading', 'row', 'heading', 'prose', 'prose',
      'heading',
    ]); // biome-ignore format: in the order of the document
    expect(texts(text)[0]).toBe('Options. All of them');
    expect(texts(text)[3]).toBe('`a`: first.');
    expect(texts(text)[4]).toBe('It is old.');
    expect(texts(text)[6]).toBe('b');
  });

  it('claims are prose, items and rows', () => {
    const text = '## Head\n\nIt has:\n\n- a thing\n\n```\nx\n```\n\nDone.';
    expect(
      splitSentences(text)
        .filter(isClaim)
        .map((s) => s.text),
    ).toEqual(['a thing', 'Done.']);
  });

  it('a fence never closed is code to the end', () => {
    expect(kinds('See:\n```js\nlet a = 1. B.\nmore. And')).toEqual(['lead', 'code']);
  });

  it('a number that wraps to the start of a line is no list', () => {
    expect(texts('It was released in\n2019. The rest came later.')).toEqual([
      'It was released in\n2019.',
      'The rest came later.',
    ]);
  });

  it('an HTML heading and an indented block', () => {
    expect(kinds('<h1 align="center">Fastify</h1>\n\n    code. Here\n\nText. More.')).toEqual([
      'heading',
      'code',
      'prose',
      'prose',
    ]);
  });
});

describe('whatever the text', () => {
  const piece = fc.constantFrom(
    '. ',
    '\n',
    '`',
    '```',
    '[1]',
    '# ',
    '- ',
    '| ',
    'e.g. ',
    '。',
    '(',
    ')',
    'Word',
    'a ',
    '!',
    '\t',
    '> ',
    '[',
    '](',
    '"',
    '🙂',
  );
  const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

  it('sentences are exact slices in order, and lose no letter of prose', () => {
    fc.assert(
      fc.property(text, (input) => {
        let end = 0;
        for (const sentence of splitSentences(input)) {
          expect(sentence.start).toBeGreaterThanOrEqual(end);
          expect(input.slice(sentence.start, sentence.end)).toBe(sentence.text);
          expect(sentence.text).toBe(sentence.text.trim());
          end = sentence.end;
        }
        const letters = (value: string) => value.replace(/[^\p{L}🙂]/gu, '').length;
        expect(letters(texts(input).join(' '))).toBe(letters(input));
      }),
    );
  });

  it('two megabytes take less than two seconds', () => {
    const long = 'Use `a.b` e.g. (see [x](y)) at 3.5. '.repeat(55_000);
    const started = performance.now();
    expect(splitSentences(long).length).toBeGreaterThan(50_000);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
