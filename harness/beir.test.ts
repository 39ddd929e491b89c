/** Labelled sets as people have them, and what does not belong together. */
import { describe, expect, it } from 'vitest';
import { parseDocument, parseQrels, parseQueries } from './beir.ts';
import { checkSet } from './beir-check.ts';

const MARK = '\uFEFF';

describe('files as editors and tools leave them', () => {
  it('a byte order mark is no part of the first line', () => {
    expect(parseDocument(`${MARK}{"_id":"d","title":"T","text":"x"}`, 'c', 1).id).toBe('d');
    expect([...parseQueries(`${MARK}{"_id":"q","text":"a"}\r\n`, 'q')]).toEqual([['q', 'a']]);
    expect([...parseQrels(`${MARK}q 0 d 1\r\n`, 'r').keys()]).toEqual(['q']);
    expect([...parseQrels(`${MARK}query-id\tcorpus-id\tscore\r\nq\td\t1\r\n`, 'r').keys()]).toEqual(['q']);
  });

  it('ids are text, also where they are numbers, and may hold spaces between tabs', () => {
    expect(parseDocument('{"_id":12,"text":"x"}', 'c', 1).id).toBe('12');
    expect(parseQrels('my query\tmy doc\t2\n', 'r').get('my query')).toEqual(new Map([['my doc', 2]]));
    expect(parseQrels('q 0 d 1.0\n', 'r').get('q')).toEqual(new Map([['d', 1]]));
  });

  it('a header line is passed over in both shapes, a broken first line is not', () => {
    expect(parseQrels('qid iter docid rel\nq 0 d 1\n', 'r').size).toBe(1);
    expect(() => parseQrels('q d\n', 'qrels.tsv')).toThrow('qrels.tsv:1: expected');
    expect(() => parseQrels('q 0 d 1x\n', 'qrels.tsv')).toThrow('qrels.tsv:1: expected');
  });

  it('a document without text is found by its title', () => {
    expect(parseDocument('{"_id":"d","title":"Only a title","text":""}', 'c', 1).text).toBe('Only a title');
    expect(parseDocument('{"_id":"d","title":"T","text":null}', 'c', 1).text).toBe('T');
  });
});

describe('what is wrong is said with file and line', () => {
  it.each([
    ['{"_id":null,"text":"x"}', 'c.jsonl:7: _id'],
    ['{"_id":" ","text":"x"}', 'c.jsonl:7: _id: a document needs _id or id'],
    ['{"_id":"d","contents":"x"}', 'c.jsonl:7: text: a document needs text or title'],
    ['{"_id":"d"', 'c.jsonl:7: not valid JSON'],
  ])('%s', (line, problem) => {
    expect(() => parseDocument(line, 'c.jsonl', 7)).toThrow(problem);
  });

  it('two queries with one id, two judgements that differ', () => {
    expect(() => parseQueries('{"_id":"q","text":"a"}\n{"_id":"q","text":"b"}', 'q.jsonl')).toThrow(
      'q.jsonl:2: a second query has the id "q"',
    );
    expect(() => parseQueries('\n', 'q.jsonl')).toThrow('q.jsonl holds no query');
    expect(() => parseQrels('q 0 d 1\nq 0 d 0\n', 'r')).toThrow(
      'r:2: document "d" is judged 0 for query "q", and 1 before',
    );
    expect(parseQrels('q 0 d 1\nq 0 d 1\n', 'r').get('q')?.size).toBe(1);
  });
});

describe('what belongs together', () => {
  const queries = new Map([
    ['q1', 'a'],
    ['q2', ' '],
  ]);
  const qrels = parseQrels('q1 0 d1 1\nq1 0 gone 1\nq2 0 d1 0\nq3 0 d1 1\n', 'r');

  it('is measured, and the rest is said', () => {
    const { qrels: known, notes } = checkSet(queries, qrels, new Set(['d1']));
    expect([...known.keys()]).toEqual(['q1', 'q2']);
    expect(notes).toEqual([
      '1 judged queries are left out: the queries do not have them ("q3").',
      '1 judged relevant documents are not in the corpus and count as not found ("gone").',
      '1 queries have no relevant document and count 0, as in trec_eval.',
      '1 queries have no text and find nothing ("q2").',
    ]);
  });

  it('files of different sets are refused', () => {
    expect(() => checkSet(new Map([['x', 'a']]), qrels, new Set(['d1']))).toThrow('no query of the judgements');
    expect(() => checkSet(queries, qrels, new Set(['other']))).toThrow('no document that is judged relevant');
  });

  it('nothing is said where all is well', () => {
    expect(checkSet(queries, parseQrels('q1 0 d1 1\n', 'r'), new Set(['d1'])).notes).toEqual([]);
  });
});
