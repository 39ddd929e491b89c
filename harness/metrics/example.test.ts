/** The worked example of docs/evaluation.md: its numbers are computed here. */
import { expect, test } from 'vitest';
import type { Verdict } from '../schema.ts';
import { answered } from '../testing/answered.ts';
import { passage } from '../testing/fake-service.ts';
import { makeCase } from '../testing/fixtures.ts';
import { citationPrecision, citationRecall } from './citation-labels.ts';
import { contextRecall } from './context-recall.ts';
import { faithfulness } from './faithfulness.ts';
import { keyFactRecall } from './key-facts.ts';
import { rankedFiles } from './labels.ts';
import { misattribution } from './misattribution.ts';
import { reciprocalRank } from './mrr.ts';
import { ndcgAt } from './ndcg.ts';
import { recallAt } from './recall.ts';
import { successAt } from './success.ts';

const item = makeCase({
  id: 'body',
  kind: 'multi_source',
  files: ['Server.md', 'Errors.md'],
  key_facts: [
    { any: ['1 MiB', '1048576'], vital: true },
    { any: ['413'], vital: true },
    { any: ['FST_ERR_CTP_BODY_TOO_LARGE'], vital: false },
  ],
});
const said = answered(item, {
  says: 'A body may have 1048576 bytes [1]. Larger ones get status 413 [2]. That is generous.',
  from: [
    passage('Server.md', 'bodyLimit is 1 MiB by default.'),
    passage('Routes.md', 'A route has a URL and a handler.'),
    passage('Errors.md', 'FST_ERR_CTP_BODY_TOO_LARGE: status 413.'),
  ],
});

test('retrieval', () => {
  const ranked = rankedFiles(item, ['Routes.md', 'Server.md', 'Server.md', 'Errors.md']);
  const files = new Set(item.files);
  expect([1, 3, 5].map((k) => recallAt(k, ranked, files))).toEqual([0, 1, 1]);
  expect([1, 5].map((k) => successAt(k, ranked, files))).toEqual([0, 1]);
  expect(ndcgAt(10, ranked, new Map(item.files.map((file) => [file, 1])))).toBeCloseTo(0.6934, 4);
  expect(reciprocalRank(10, ranked, files)).toBe(0.5);
});

test('answer and citations', () => {
  expect(contextRecall(said)).toBe(1);
  expect([keyFactRecall(said), keyFactRecall(said, false)]).toEqual([1, 0]);
  expect([citationPrecision(said), citationRecall(said), misattribution(said)]).toEqual([0.5, 0.5, 0.5]);
});

test('faithfulness', () => {
  const hash = '0'.repeat(32);
  const verdict = (sentence: number, citation: number, supported: boolean): Verdict => ({
    ...{
      v: 1,
      case_id: 'body',
      run: 1,
      answer_hash: hash,
      sentence,
      text: '',
      citation,
      passage_hash: hash,
      judge: hash,
    },
    ...{ status: 'judged', supported, score: null, reason: null, hash },
  });
  const result = faithfulness(said, [verdict(0, 1, true), verdict(1, 2, false)]);
  expect(result.value).toBeCloseTo(0.333, 3);
  expect(result.support).toBe(0.5);
});
