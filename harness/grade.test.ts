import { expect, test } from 'vitest';
import { bestThreshold, type GradedPair, gradeGroups, gradeOf, judgePairs } from './grade.ts';
import { lexicalJudge } from './judges/lexical.ts';

function graded(
  label: 'faithful' | 'unfaithful',
  said: boolean | null,
  times: number,
  group = 'g',
  score: number | null = null,
): GradedPair[] {
  const ruling =
    said === null
      ? { status: 'unjudged' as const, supported: null, score: null, reason: 'x' }
      : { status: 'judged' as const, supported: said, score, reason: null };
  return Array.from({ length: times }, () => ({ pair: { context: 'c', claim: 'c', label, group }, ruling }));
}

test('the grade of a known table, against statsmodels', () => {
  const grade = gradeOf([
    ...graded('faithful', true, 31),
    ...graded('unfaithful', true, 12),
    ...graded('faithful', false, 4),
    ...graded('unfaithful', false, 58),
    ...graded('faithful', null, 2),
  ]);
  expect(grade).toMatchObject({ n: 105, unjudged: 2 });
  expect(grade.kappa.value).toBeCloseTo(0.6756757, 6);
  expect(grade.kappa.low).toBeCloseTo(0.531721, 5);
  expect(grade.sensitivity.value).toBeCloseTo(31 / 35, 10);
  expect(grade.specificity.value).toBeCloseTo(58 / 70, 10);
  expect(grade.balancedAccuracy.value).toBeCloseTo((31 / 35 + 58 / 70) / 2, 10);
  expect(grade.balancedAccuracy.low).toBeGreaterThan(0.75);
  expect(grade.balancedAccuracy.high).toBeLessThan(0.93);
});

test('a judge that always says yes is no better than a coin', () => {
  const grade = gradeOf([...graded('faithful', true, 10), ...graded('unfaithful', true, 10)]);
  expect(grade.balancedAccuracy.value).toBe(0.5);
  expect(grade.kappa.value).toBe(0);
});

test('with one label only there is no balanced accuracy and no kappa', () => {
  expect(gradeOf(graded('faithful', true, 3))).toMatchObject({
    balancedAccuracy: { value: null },
    kappa: { value: null },
    specificity: { value: null },
  });
});

test('groups are graded apart', () => {
  const groups = gradeGroups([...graded('faithful', true, 2, 'b'), ...graded('unfaithful', true, 1, 'a')]);
  expect(groups.map(([name, grade]) => [name, grade.n])).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
});

test('the best threshold separates the scores', () => {
  const pairs = [
    ...graded('faithful', true, 2, 'g', 0.8),
    ...graded('faithful', true, 1, 'g', 0.4),
    ...graded('unfaithful', false, 3, 'g', 0.3),
  ];
  expect(bestThreshold(pairs)).toEqual({ threshold: 0.4, balancedAccuracy: 1 });
  expect(bestThreshold(graded('faithful', true, 2, 'g', 0.8))).toBeNull();
});

test('pairs keep their order, whatever their contexts', async () => {
  const pairs = ['a', 'b', 'a', 'b'].map((context, index) => ({ context, claim: `claim ${index}` }));
  const result = await judgePairs(pairs, { ...lexicalJudge(), concurrency: 2 }, new AbortController().signal);
  expect(result.map((item) => item.pair)).toEqual(pairs);
});
