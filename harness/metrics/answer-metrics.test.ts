/** For every metric of an answer one example that scores and one, deliberately broken, that does not. */
import { expect, test } from 'vitest';
import type { Verdict } from '../schema.ts';
import { answered, recordOf } from '../testing/answered.ts';
import { passage } from '../testing/fake-service.ts';
import { A, B, CASES, makeCase } from '../testing/fixtures.ts';
import { citationPrecision, citationRecall } from './citation-labels.ts';
import { citesOutOfRange } from './citation-range.ts';
import { contextRecall } from './context-recall.ts';
import { decide, rightDecision, wrongAnswer, wrongRefusal } from './decision.ts';
import { faithfulness } from './faithfulness.ts';
import { keyFactRecall } from './key-facts.ts';
import { misattribution } from './misattribution.ts';

const [one, two, none] = CASES as [(typeof CASES)[0], (typeof CASES)[0], (typeof CASES)[0]];
const C = passage('docs/c.md', 'Gamma is 9.');

test('context recall: the labelled files among the passages shown', () => {
  expect(contextRecall(answered(two, { says: 'x', from: [A, B, C] }))).toBe(1);
  expect(contextRecall(answered(two, { says: 'x', from: [A, C] }))).toBe(0.5);
  expect(contextRecall(answered(two, { says: 'x', from: [C] }))).toBe(0);
  expect(contextRecall(answered(two, 'refusal'))).toBe(0);
  expect(contextRecall(answered(two, 'error'))).toBe(0);
  expect(contextRecall(answered(none, { says: 'x', from: [A] }))).toBeNull();
});

test('a passage that did not fit into the prompt was not shown', () => {
  const item = answered(one, { says: 'x', from: [A] });
  const record = { ...item.record, sources: item.record.sources.map((source) => ({ ...source, used: false })) };
  expect(contextRecall({ ...item, record, shown: record.sources.filter((source) => source.used) })).toBe(0);
});

test('a further file that answers stands for the first labelled one', () => {
  const item = makeCase({ id: 'also', files: ['docs/x.md'], also: ['docs/a.md'] });
  expect(contextRecall(answered(item, { says: 'x', from: [A] }))).toBe(1);
  expect(citationRecall(answered(item, { says: 'Alpha is 5 [1].', from: [A] }))).toBe(1);
  expect(citationPrecision(answered(item, { says: 'Alpha is 5 [1].', from: [A] }))).toBe(1);
});

test('key-fact recall: vital facts stated; refusals and errors score 0; extra facts apart', () => {
  expect(keyFactRecall(answered(two, { says: 'Alpha is 5 [1]. Beta is 7 [2].', from: [A, B] }))).toBe(1);
  expect(keyFactRecall(answered(two, { says: 'Alpha is 5 [1].', from: [A, B] }))).toBe(0.5);
  expect(keyFactRecall(answered(two, { says: 'Alpha is not 5 [1].', from: [A, B] }))).toBe(0);
  expect(keyFactRecall(answered(two, 'refusal'))).toBe(0);
  expect(keyFactRecall(answered(two, 'error'))).toBe(0);
  expect(keyFactRecall(answered(none, { says: 'Alpha is 5.', from: [A] }))).toBeNull();
  const extra = makeCase({
    id: 'x',
    key_facts: [
      { any: ['Alpha is 5'], vital: true },
      { any: ['Beta is 7'], vital: false },
    ],
  });
  const said = answered(extra, { says: 'Alpha is 5 [1].', from: [A] });
  expect([keyFactRecall(said), keyFactRecall(said, false)]).toEqual([1, 0]);
  expect(keyFactRecall(answered(one, 'refusal'), false)).toBeNull();
});

test('a citation between the words of a fact does not hide it', () => {
  expect(keyFactRecall(answered(one, { says: 'Alpha [1] is [2] 5.', from: [A, B] }))).toBe(1);
});

test('the refusal matrix from the labels', () => {
  const said = { says: 'x', from: [A] };
  expect(decide(one, recordOf(one, said))).toBe('answered');
  expect(decide(one, recordOf(one, 'refusal'))).toBe('wrong_refusal');
  expect(decide(none, recordOf(none, 'refusal'))).toBe('correct_refusal');
  expect(decide(none, recordOf(none, said))).toBe('wrongly_answered');
  expect(decide(one, recordOf(one, 'error'))).toBe('error');
  expect([rightDecision(one, recordOf(one, said)), rightDecision(one, recordOf(one, 'error'))]).toEqual([1, 0]);
  expect([wrongRefusal(one, recordOf(one, 'refusal')), wrongRefusal(one, recordOf(one, said))]).toEqual([1, 0]);
  expect([wrongRefusal(none, recordOf(none, said)), wrongRefusal(one, recordOf(one, 'error'))]).toEqual([null, null]);
  expect([wrongAnswer(none, recordOf(none, said)), wrongAnswer(none, recordOf(none, 'refusal'))]).toEqual([1, 0]);
  expect(wrongAnswer(one, recordOf(one, said))).toBeNull();
});

test('citations out of range', () => {
  expect(citesOutOfRange(answered(one, { says: 'Alpha is 5 [3].', from: [A, B] }))).toBe(1);
  expect(citesOutOfRange(answered(one, { says: 'Alpha is 5 [2].', from: [A, B] }))).toBe(0);
  expect(citesOutOfRange(answered(one, { says: 'Read `arr[7]` [1].', from: [A] }))).toBe(0);
  expect(citesOutOfRange(answered(one, 'refusal'))).toBeNull();
});

test('citation precision and recall by label', () => {
  expect(citationPrecision(answered(two, { says: 'Alpha is 5 [1][3].', from: [A, B, C] }))).toBe(0.5);
  expect(citationPrecision(answered(two, { says: 'Alpha is 5.', from: [A] }))).toBeNull();
  expect(
    citationPrecision(answered(one, { says: 'Alpha is 5 [1].', from: [passage('docs/z.md', 'Alpha is 5.')] })),
  ).toBe(1);
  expect(citationRecall(answered(two, { says: 'Alpha is 5 [1].', from: [A, B] }))).toBe(0.5);
  expect(citationRecall(answered(two, { says: 'Alpha is 5.', from: [A, B] }))).toBe(0);
  expect(citationRecall(answered(none, { says: 'Alpha is 5 [1].', from: [A] }))).toBeNull();
});

test('misattribution: the fact is in another passage than the one cited', () => {
  expect(misattribution(answered(one, { says: 'Alpha is 5 [1].', from: [A, B] }))).toBe(0);
  expect(misattribution(answered(one, { says: 'Alpha is 5 [2].', from: [A, B] }))).toBe(1);
  expect(misattribution(answered(one, { says: 'Alpha is 5 [1].', from: [B] })), 'nobody has the fact').toBe(0);
  expect(misattribution(answered(one, { says: 'Alpha is 5 [2]. So alpha is 5 [1].', from: [A, B] }))).toBe(0);
  expect(misattribution(answered(one, { says: 'Alpha is 5.', from: [A] }))).toBeNull();
});

test('faithfulness: supported, unsupported, uncited and unjudged claims', () => {
  const item = answered(one, { says: 'Alpha is 5 [1]. Beta is 7 [1][2]. Gamma is 9. Delta is 1 [2].', from: [A, B] });
  const result = faithfulness(item, [
    verdict(0, 1, true),
    verdict(1, 1, false),
    verdict(1, 2, true),
    verdict(3, 2, null),
  ]);
  expect(result.claims).toEqual(['supported', 'supported', 'unsupported', 'unjudged']);
  expect(result).toMatchObject({ value: 2 / 3, worst: 0.5, best: 0.75, support: 2 / 3, expected: 4, judged: 3 });
});

test('a missing verdict counts as unjudged, a no of all citations as unsupported', () => {
  const item = answered(one, { says: 'Alpha is 5 [1][2].', from: [A, B] });
  expect(faithfulness(item, [verdict(0, 1, false)])).toMatchObject({
    value: null,
    worst: 0,
    best: 1,
    claims: ['unjudged'],
  });
  expect(faithfulness(item, [verdict(0, 1, false), verdict(0, 2, false)])).toMatchObject({
    value: 0,
    worst: 0,
    best: 0,
  });
  expect(faithfulness(item, [verdict(0, 1, true)]).value).toBe(1);
});

test('an answer that cites nothing is unfaithful without a judge; one without claims has no score', () => {
  expect(faithfulness(answered(one, { says: 'Alpha is 5.', from: [A] }), [])).toMatchObject({
    value: 0,
    support: null,
  });
  expect(faithfulness(answered(one, { says: '```\ncode\n```', from: [A] }), []).value).toBeNull();
  expect(faithfulness(answered(one, 'refusal'), []).value).toBeNull();
});

function verdict(sentence: number, citation: number, supported: boolean | null): Verdict {
  const hash = '0'.repeat(32);
  return {
    v: 1,
    case_id: 'one',
    run: 1,
    answer_hash: hash,
    sentence,
    text: '',
    citation,
    passage_hash: hash,
    judge: hash,
    status: supported === null ? 'unjudged' : 'judged',
    supported,
    score: null,
    reason: null,
    hash,
  };
}
