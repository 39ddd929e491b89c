import { expect, it } from 'vitest';
import type { Answer, Source } from '../contract.ts';
import { footer } from './footer.ts';

const source = (more: Partial<Source>): Source => ({
  n: 1,
  used: true,
  source: 'guide.pdf',
  title: '',
  heading: ['Top', 'Limits'],
  start: 0,
  end: 1,
  cosine: null,
  bm25: null,
  fusion: null,
  text: 't',
  ...more,
});
const answer = { refused: false, citations: [1] } as unknown as Answer;
const label = (more: Partial<Source>) =>
  footer(answer, [source(more)])
    .split('\n')
    .at(-1);

it.each([
  [{}, '[1] guide.pdf (Limits)'],
  [{ page: 3 }, '[1] guide.pdf (Limits), page 3'],
  [{ line: 21, heading: [] }, '[1] guide.pdf, line 21'],
  [{ page: 3, line: 9 }, '[1] guide.pdf (Limits), page 3'],
  [
    { page: 3, url: 'https://docs.example/guide.pdf#page=3' },
    '[1] [guide.pdf (Limits), page 3](https://docs.example/guide.pdf#page=3)',
  ],
  [
    { url: 'https://docs.example/a(1).md', heading: ['[x]'] },
    '[1] [guide.pdf (\\[x\\])](https://docs.example/a%281%29.md)',
  ],
  [{ url: 'javascript:alert(1)' }, '[1] guide.pdf (Limits)'],
  [{ url: 'file:///etc/passwd' }, '[1] guide.pdf (Limits)'],
  [
    { url: 'https://x.example/) [y](javascript:z' },
    '[1] [guide.pdf (Limits)](https://x.example/%29%20%5By%5D%28javascript:z)',
  ],
])('%j is the line %j', (more, line) => expect(label(more)).toBe(line));
