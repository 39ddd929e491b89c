import { describe, expect, it } from 'vitest';
import { parsePassage, parseStats, readSearchResult } from './passages.ts';

const text = (value: string) => ({ type: 'text', text: value });

describe('the text format', () => {
  it('reads header, source and body', () => {
    expect(parsePassage('[cos 0.612  bm25 8.40  fusion 0.033] path/to/a file.md\nFirst line\n\nSecond [1]')).toEqual({
      source: 'path/to/a file.md', title: '', heading: [], start: null, end: null,
      cosine: 0.612, bm25: 8.4, fusion: 0.033, text: 'First line\n\nSecond [1]',
    }); // biome-ignore format: as a record
  });

  it('takes missing and odd scores as unknown', () => {
    expect(parsePassage('[cos -0.10  bm25 n/a] a.md\r\nbody')).toMatchObject({
      cosine: -0.1,
      bm25: null,
      fusion: null,
      text: 'body',
    });
  });

  it('does not take other text for a passage', () => {
    for (const other of ['(no matching chunks)', 'body', '[1] a.md\nbody', '[cos 0.1]\nbody']) {
      expect(parsePassage(other)).toBeUndefined();
    }
  });

  it.each([
    '(no matching chunks)',
    '(no chunk cleared the relevance threshold 0.35;\nbest 0.1)',
    '(index is empty: run index)',
  ])('%s is a note', (note) => {
    expect(readSearchResult({ content: [text(note)] })).toEqual({
      passages: [],
      below_gate: [],
      mode: 'unknown',
      note,
      typed: false,
    });
  });
});

describe('a tool result', () => {
  const typed = { passages: [], below_gate: [], mode: 'lexical', note: '(x)' };

  it('prefers typed data', () => {
    expect(
      readSearchResult({ content: [text('[cos 1  bm25 1  fusion 1] a.md\nb')], structuredContent: typed }),
    ).toEqual({ ...typed, typed: true });
  });

  it('falls back to the text when typed data is of another shape', () => {
    const found = readSearchResult({
      content: [text('[cos 1  bm25 1  fusion 1] a.md\nb')],
      structuredContent: { results: 3 },
    });
    expect(found).toMatchObject({ typed: false, passages: [{ source: 'a.md', text: 'b' }] });
  });

  it('isError is a failure whose text stays out of the message', () => {
    expect(() => readSearchResult({ content: [text('secret path')], isError: true })).toThrow(
      'The retrieval server reported a failure.',
    );
  });

  it('text that is neither passage nor note is a failure', () => {
    expect(() => readSearchResult({ content: [text('Hello')] })).toThrow('not the contract');
  });

  it('no item at all is no passage', () => {
    expect(readSearchResult({ content: [] })).toMatchObject({ passages: [], note: null });
  });
});

it('reads stats by line', () => {
  expect(parseStats({ content: [text('db: /a:b.db\nchunks: 3\nrubbish')] })).toEqual({ db: '/a:b.db', chunks: '3' });
});
