import { describe, expect, it } from 'vitest';
import { createPromptCache } from './cache.ts';

describe('the memory for prompts', () => {
  /** A prompt of so many tokens that shares nothing with one of another letter. */
  const prompt = (letter: string, tokens: number) => letter.repeat(4 * tokens);

  const setUp = () => {
    const cache = createPromptCache(1);
    return (text: string) => {
      const { cached } = cache.take(text, [0], true);
      cache.keep(0, text);
      return cached;
    };
  };

  it('holds the 74,898 tokens that 8 GiB are for a 3B model, and lets the oldest go first', () => {
    const ask = setUp();
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((letter) => prompt(letter, 25_000)) as [
      string,
      string,
      string,
      string,
    ];
    expect([a, b, c].map(ask)).toEqual([0, 0, 0]);
    // With c beside a and b it would be 75,000: a goes, but is in the slot.
    expect(ask(a)).toBe(24_999);
    expect(ask(b)).toBe(24_999);
    expect(ask(d)).toBe(0);
    expect(ask(b)).toBe(24_999);
    expect(ask(c)).toBe(0);
  });

  it('holds one that is larger than all of it', () => {
    const ask = setUp();
    const long = prompt('a', 80_000);
    ask(long);
    ask(prompt('b', 10));
    expect(ask(long)).toBe(79_999);
  });
});
