import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestQuote, MIN_QUOTE_SCORE } from './quotes.ts';

const passage = [
  '# bodyLimit', '', 'Defines the maximum payload, in bytes, the server accepts. It is a number.', '', '- Default: `1048576` (1MiB)',
  '', '```js', "const app = fastify({ bodyLimit: 10 })", 'app.listen({ port: 3000 })', '```', '', 'Unrelated words end this text.',
].join('\n'); // biome-ignore format: a document line by line

describe('bestQuote', () => {
  it('finds the sentence and gives it as it stands', () => {
    const quote = bestQuote('The server accepts a maximum payload in bytes [1].', passage);
    expect(quote?.text).toBe('Defines the maximum payload, in bytes, the server accepts.');
    expect(quote?.score).toBe(1);
  });

  it('joins neighbours when a claim draws on both', () => {
    const quote = bestQuote('The payload the server accepts is a number.', passage);
    expect(quote?.text).toContain('accepts. It is a number.');
  });

  it('takes a list item, and one line of code', () => {
    expect(bestQuote('The default is `1048576`.', passage)?.text).toBe('Default: `1048576` (1MiB)');
    expect(bestQuote('Call `app.listen` with port 3000.', passage)?.text).toBe('app.listen({ port: 3000 })');
  });

  it('gives none for what the passage does not say, and for no words', () => {
    expect(bestQuote('Penguins live in Antarctica.', passage)).toBeNull();
    expect(bestQuote('It is. [1]', passage)).toBeNull();
    expect(bestQuote('Anything', '')).toBeNull();
  });

  it('is an exact piece of whatever passage', () => {
    const word = fc.constantFrom(
      'alpha',
      'beta',
      'gamma.',
      '`delta`',
      '\n',
      '- ',
      '```\n',
      '🙂',
      '| ',
      '# ',
      '1048576',
    );
    const text = fc.array(word, { maxLength: 50 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(text, text, (claim, source) => {
        const quote = bestQuote(claim, source);
        if (quote === null) return;
        expect(source.slice(quote.start, quote.end)).toBe(quote.text);
        expect(quote.text.trim()).not.toBe('');
        expect(quote.score).toBeGreaterThanOrEqual(MIN_QUOTE_SCORE);
        expect(quote.score).toBeLessThanOrEqual(1);
      }),
    );
  });
});
