import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkCitations, findCitations, isRefusal, stripCitations } from './citations.ts';
import { REFUSAL_SENTENCE } from './contract.ts';

const numbers = (text: string) => findCitations(text).flatMap((mark) => mark.numbers);

describe('what is a citation', () => {
  it.each([
    ['It is fast [1].', [1]],
    ['It is fast [1, 2].', [1, 2]],
    ['It is fast [1][2].', [1, 2]],
    ['It is fast [1-3].', [1, 2, 3]],
    ['It is fast [1–3, 5].', [1, 2, 3, 5]],
    ['It is fast [1; 4] and [2 and 3].', [1, 4, 2, 3]],
    ['It is fast[1]. It is small![2]', [1, 2]],
    ['It takes 10[1] of them (as said)[2].', [1, 2]],
    ['速い【1】。小さい［２，３］。〔4〕', [1, 2, 3, 4]],
    ['It is fast 【1†server.md】.', [1]],
    ['Call `listen()`[1] or [docs](a.md)[2] on Node.js[3].', [1, 2, 3]],
    ['[1] says so. [1]: says more.', [1, 1]],
    ['It is fast [ 7 ].', [7]],
    ['Backwards [3-1], endless [1-999999999].', [3, 1, 1, 999999999]],
    ['A heading\n\n- an item [1]\n- another [2]\n\n| a | b [3] |', [1, 2, 3]],
  ])('%s', (text, expected) => {
    expect(numbers(text)).toEqual(expected);
  });
});

describe('what is none', () => {
  it.each([
    'Use `arr[0]`, `a [1]` and ``b ` [2]``.',
    'Like so:\n```js\nx = y [1];\n```\nand\n\n    z [2]\n',
    '```\nnever closed [1]',
    'arr[0] and arr[1], args[2], a[3], process.argv[2], items[1].name, fooBar[4], rest[1] = 2, x1[2].',
    'matrix[1][2] and fn(x)[1][0] and users.list[3]',
    'let a = [1, 2]',
    'See [1](server.md), ![2](image.png), [the docs][3], [see [4]](a.md).',
    'See <https://a.b/[1]> and https://a.b/?x[1]=2&y[2] there.',
    'Text.\n\n[1]: https://example.org\n[2]: ./a.md "Title"',
    'A task [x], a note [^1], escaped \\[1], a word [one], a version [1.5], [-1], [1,], [], (1), {1}.',
    '<code>a [1]</code> and <pre>\nb [2]\n</pre>',
  ])('%s', (text) => {
    expect(numbers(text)).toEqual([]);
  });
});

describe('checkCitations', () => {
  it('sorts numbers into known and unknown, and lists uncited sentences', () => {
    const checked = checkCitations('A thing [2]. It is old. More [1, 9][0] of it. [2]', 2);
    expect(checked.citations).toEqual([1, 2]);
    expect(checked.invalid).toEqual([0, 9]);
    expect(checked.sentences.map((s) => s.citations)).toEqual([[2], [], [1, 2]]);
    expect(checked.uncited.map((s) => s.text)).toEqual(['It is old.']);
  });

  it('takes the numbers of the sources that were used', () => {
    expect(checkCitations('A [1]. B [2].', [2, 3])).toMatchObject({ citations: [2], invalid: [1] });
  });

  it('headings, leads and bare code claim nothing; code with a citation counts', () => {
    const checked = checkCitations('# Head\n\nTwo steps:\n\n1. One [1]\n2. Two\n\n```\nx\n```\n[2]\n\n```\ny\n```', 2);
    expect(checked.sentences.map((s) => [s.kind, s.citations])).toEqual([
      ['item', [1]],
      ['item', []],
      ['code', [2]],
    ]);
  });
});

describe('stripCitations', () => {
  it('leaves the text a reader would read', () => {
    expect(stripCitations('It is fast [1]. It is `a[1]` small.[2] End')).toBe('It is fast. It is `a[1]` small. End');
  });
});

describe('the refusal sentence', () => {
  const bare = REFUSAL_SENTENCE.replace(/\.$/, '');
  it.each([
    REFUSAL_SENTENCE,
    bare,
    ` ${bare} .\n`,
    `"${REFUSAL_SENTENCE}"`,
    `“${bare}”.`,
    `**${bare}**`,
    `> ${bare}!`,
    bare.toUpperCase(),
    `${bare} [1].`,
    `\n\n${bare.replace(' ', '\n')}`,
  ])('is recognised: %j', (answer) => expect(isRefusal(answer)).toBe(true));
  it.each([
    `${REFUSAL_SENTENCE} The default is 1 MiB [1].`,
    `The default is 1 MiB [1]. ${REFUSAL_SENTENCE}`,
    `The text "${REFUSAL_SENTENCE}" is printed.`,
    'I cannot answer this.',
    '',
    '[1]',
  ])('is not: %j', (answer) => expect(isRefusal(answer)).toBe(false));
});

describe('whatever the text', () => {
  const piece = fc.constantFrom(
    '[1]',
    '[2, 3]',
    ' [4-6]',
    '`',
    '```',
    '\n',
    'word',
    'arr',
    ' ',
    '. ',
    '[',
    ']',
    '(',
    ')',
    '【7】',
    '![',
    '](u)',
    '=',
    '://',
  );
  it('marks are brackets of the text, in order, with the numbers written', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        let end = 0;
        for (const mark of findCitations(text)) {
          expect(mark.start).toBeGreaterThanOrEqual(end);
          expect(text.slice(mark.start, mark.end)).toMatch(/^[[【].*[\]】]$/);
          end = mark.end;
        }
        const checked = checkCitations(text, 3);
        expect(checked.sentences.flatMap((s) => s.citations).every((n) => checked.citations.includes(n))).toBe(true);
      }),
    );
  });
});
