/** The set metrics against ir-measures on the same run. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseDocument, parseQrels, parseQueries } from './beir.ts';
import { measureSet, rankDocuments, toTrec } from './retrieval-set.ts';
import { passage } from './testing/fake-service.ts';

interface Reference {
  qrels: Record<string, Record<string, number>>;
  run: Record<string, Record<string, number>>;
  mean: Record<string, number>;
}
const reference = JSON.parse(
  readFileSync(new URL('../scripts/reference/retrieval.json', import.meta.url), 'utf8'),
) as Reference;

test('means over all judged queries are those of ir-measures', () => {
  const qrels = new Map(
    Object.entries(reference.qrels).map(([query, gains]) => [query, new Map(Object.entries(gains))]),
  );
  const run = new Map(
    Object.entries(reference.run).map(([query, scores]) => [
      query,
      // Ties by name, descending, as trec_eval orders them.
      Object.entries(scores)
        .sort(([a, x], [b, y]) => y - x || (a < b ? 1 : -1))
        .map(([document]) => document),
    ]),
  );
  const values = Object.fromEntries(measureSet(run, qrels).map((metric) => [metric.name, metric.value]));
  for (const k of [1, 3, 5, 10, 100]) expect(values[`recall@${k}`]).toBeCloseTo(reference.mean[`R@${k}`] ?? -1, 10);
  expect(values['nDCG@10']).toBeCloseTo(reference.mean['nDCG@10'] ?? -1, 10);
  expect(values.MAP).toBeCloseTo(reference.mean.AP ?? -1, 10);
  // ir-measures' own RR@10 breaks ties otherwise; without ties both agree (metrics/ranking.test.ts).
  expect(Math.abs((values['MRR@10'] ?? 0) - (reference.mean['RR@10'] ?? 0))).toBeLessThan(0.01);
});

test('a document stands where its best passage does, and scores fall strictly', () => {
  const at = (source: string, fusion: number) => ({ ...passage(source, 'x'), fusion });
  const ranked = rankDocuments([at('b', 0.9), at('a', 0.9), at('b', 0.8), at('c', 0.9), at('d', 0)]);
  expect(ranked.map((document) => document.id)).toEqual(['b', 'a', 'c', 'd']);
  for (let rank = 1; rank < ranked.length; rank += 1)
    expect(ranked[rank]?.score).toBeLessThan(ranked[rank - 1]?.score ?? 0);
  expect(rankDocuments([at('b', 1), at('a', 1), at('c', 1)], 2)).toHaveLength(2);
  expect(toTrec('q1', ranked.slice(0, 1), 'askdocs-lexical')).toBe('q1 Q0 b 1 0.899999976 askdocs-lexical\n');
});

test('trec_eval, which reads 32 bits, finds no ties where there are none in the ranking', () => {
  const at = (source: string, fusion: number) => ({ ...passage(source, 'x'), fusion });
  for (const scores of [
    [0.5, 0.5, 0.5, 0.5 - 1e-12, 0.5 - 1e-9],
    [0, 0, 0],
    [17.25, 17.25, 17.25],
    [0.1 + 0.2, 0.3],
  ]) {
    const ranked = rankDocuments(scores.map((score, index) => at(`d${index}`, score)));
    const read = toTrec('q', ranked, 't')
      .trim()
      .split('\n')
      .map((line) => Math.fround(Number(line.split(' ')[4])));
    for (let rank = 1; rank < read.length; rank += 1) expect(read[rank]).toBeLessThan(read[rank - 1] ?? 0);
  }
});

test('a query that found nothing counts 0; one that is not judged does not count', () => {
  const qrels = new Map([
    ['q1', new Map([['a', 1]])],
    ['q2', new Map([['b', 2]])],
  ]);
  const metrics = measureSet(
    new Map([
      ['q1', ['a']],
      ['q3', ['z']],
    ]),
    qrels,
  );
  expect(metrics.find((metric) => metric.name === 'nDCG@10')).toMatchObject({ value: 0.5, n: 2 });
});

test('both shapes of documents, queries and judgements are read', () => {
  expect(parseDocument('{"_id":"d1","title":"T","text":"x"}', 'c', 1)).toEqual({ id: 'd1', title: 'T', text: 'x' });
  expect(parseDocument('{"id":7,"text":"x"}', 'c', 1)).toEqual({ id: '7', title: '', text: 'x' });
  expect([...parseQueries('{"_id":"q1","text":"a"}\n{"id":"q2","text":"b"}\n', 'q')]).toEqual([
    ['q1', 'a'],
    ['q2', 'b'],
  ]);
  const trec = parseQrels('q1 0 d1 2\nq1 0 d2 0\n', 'r');
  expect(trec.get('q1')).toEqual(
    new Map([
      ['d1', 2],
      ['d2', 0],
    ]),
  );
  expect(parseQrels('query-id\tcorpus-id\tscore\nq1\td1\t1\n', 'r').get('q1')).toEqual(new Map([['d1', 1]]));
});

test('what cannot be read is named with file and line', () => {
  expect(() => parseDocument('{"text":"x"}', 'corpus.jsonl', 3)).toThrow(
    'corpus.jsonl:3: _id: a document needs _id or id',
  );
  expect(() => parseQueries('{"_id":"q"}', 'queries.jsonl')).toThrow('queries.jsonl:1: text');
  expect(() => parseQrels('q1 0 d1 1\nq1 d1\n', 'qrels.txt')).toThrow('qrels.txt:2: expected "qid 0 docid rel"');
  expect(() => parseQrels('\n', 'qrels.txt')).toThrow('holds no judgement');
});
