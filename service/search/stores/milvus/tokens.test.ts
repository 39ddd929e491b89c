import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tokenize } from '../../text/tokens.ts';
import { spell, wordsOf } from './tokens.ts';

it('spells every token as one run of ASCII letters and digits, and no two alike', () => {
  const samples = ['keepAliveTimeout', 'Le délai', '请求体的大小', '로그 파일', 'ﬁne', '𝟙 𠮷野家', '0u61 a', 'हिन्दी'];
  const tokens = [...new Set(samples.flatMap(tokenize))];
  const spelt = tokens.map((token) => spell([token]));
  for (const word of spelt) expect(word).toMatch(/^[a-z0-9]+$/);
  expect(new Set(spelt).size).toBe(tokens.length);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const own = tokenize(text);
      expect(spell(own).split(' ').filter(Boolean)).toHaveLength(own.length);
      expect(spell(own)).toMatch(/^[a-z0-9 ]*$/);
    }),
  );
});

it('cuts a text longer than a field between two words', () => {
  const long = spell(Array.from({ length: 20_000 }, (_, at) => `word${at}`));
  expect(long.length).toBeLessThanOrEqual(65_535);
  expect(long.split(' ').at(-1)).toMatch(/^word\d+$/);
  expect(long.length).toBeGreaterThan(65_500);
});

it('counts words of headings twice', () => {
  expect(wordsOf({ title: 'Server', heading: ['Limits'], text: 'bytes' })).toEqual([
    'server',
    'limit',
    'limit',
    'byte',
  ]);
});
