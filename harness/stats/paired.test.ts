import { describe, expect, test } from 'vitest';
import { holm } from './holm.ts';
import { mcnemarOneSided, mcnemarTwoSided } from './mcnemar.ts';
import { casesNeeded, minimalDetectable, runsNeeded } from './mde.ts';
import { newcombePaired } from './newcombe.ts';
import { permutationWithinCases } from './permutation.ts';
import { signFlip } from './sign-flip.ts';
import { reference } from './testing/reference.ts';

const { comparisons } = reference;

describe('McNemar, exact', () => {
  test.each(comparisons.mcnemar_two_sided)('two-sided ($b, $c) equals statsmodels', ({ b, c, p }) => {
    expect(mcnemarTwoSided(b, c)).toBeCloseTo(p, 9);
  });
  test.each(comparisons.mcnemar_one_sided)('one-sided ($b, $c) equals scipy', ({ b, c, p }) => {
    expect(mcnemarOneSided(b, c)).toBeCloseTo(p, 9);
  });
  test('nothing broke: no evidence of a drop', () => expect(mcnemarOneSided(0, 7)).toBe(1));
});

test.each(comparisons.newcombe)('Newcombe paired $cells', ({ cells, result }) => {
  const [both = 0, first = 0, second = 0, neither = 0] = cells;
  const got = newcombePaired({ both, first, second, neither });
  expect(got.difference).toBeCloseTo(result[0]!, 9);
  expect(got.low).toBeCloseTo(result[1]!, 7);
  expect(got.high).toBeCloseTo(result[2]!, 7);
});
test('Newcombe of no pairs says nothing', () => {
  expect(newcombePaired({ both: 0, first: 0, second: 0, neither: 0 })).toEqual({ difference: 0, low: -1, high: 1 });
});

describe('sign flip', () => {
  test.each(comparisons.sign_flip)('$d equals scipy', ({ d, p }) => {
    expect(signFlip(d)).toEqual({ p: expect.closeTo(p, 9), exact: true });
  });
  test('no change, no evidence', () => expect(signFlip([0, 0, 0])).toEqual({ p: 1, exact: true }));
  test('many differences are drawn, and the drawing agrees with the exact count', () => {
    const d = Array.from({ length: 20 }, (_, i) => (i < 14 ? -1 : 1));
    const { p, exact } = signFlip(d);
    expect(exact).toBe(false);
    expect(Math.abs(p - mcnemarOneSided(14, 6))).toBeLessThan(0.006);
    expect(signFlip(d)).toEqual({ p, exact });
  });
});

describe('permutation of runs within cases', () => {
  test.each(comparisons.within_cases)('base $base new $new equals enumeration', ({ base, new: after, runs, p }) => {
    const cases = base.map((b, i) => ({ base: b, baseRuns: runs, new: after[i]!, newRuns: runs }));
    expect(permutationWithinCases(cases)).toBeCloseTo(p, 9);
  });
  test('one case broken in four runs of four: 1/70', () => {
    expect(permutationWithinCases([{ base: 4, baseRuns: 4, new: 0, newRuns: 4 }])).toBeCloseTo(1 / 70, 12);
  });
  test('sides of different length: no success of two, one of one', () => {
    expect(permutationWithinCases([{ base: 1, baseRuns: 1, new: 0, newRuns: 2 }])).toBeCloseTo(1 / 3, 12);
  });
});

test.each([comparisons.holm, comparisons.holm_unordered])('Holm equals statsmodels', ({ p, adjusted }) => {
  holm(p).forEach((x, i) => {
    expect(x).toBeCloseTo(adjusted[i]!, 12);
  });
});

describe('power', () => {
  test.each(comparisons.mde)('MDE at $runs runs, $sides-sided', ({ n, omega2, sigma2, runs, sides, mde }) => {
    const got = minimalDetectable({ n, omega2, sigma2A: sigma2, sigma2B: sigma2, runsA: runs, runsB: runs, sides });
    expect(got).toBeCloseTo(mde, 8);
  });
  const input = { n: 45, omega2: 0.02, sigma2A: 0.1, sigma2B: 0.1, runsA: 4, runsB: 4 };
  test('cases and runs needed are the first that are enough', () => {
    const cases = casesNeeded(input, 0.06)!;
    expect(minimalDetectable({ ...input, n: cases })).toBeLessThanOrEqual(0.06);
    expect(minimalDetectable({ ...input, n: cases - 1 })).toBeGreaterThan(0.06);
    const runs = runsNeeded(input, 0.08)!;
    expect(minimalDetectable({ ...input, runsA: runs, runsB: runs })).toBeLessThanOrEqual(0.08);
    expect(minimalDetectable({ ...input, runsA: runs - 1, runsB: runs - 1 })).toBeGreaterThan(0.08);
  });
  test('what more runs or cases cannot buy is null', () => {
    expect(runsNeeded(input, 0.01)).toBeNull();
    expect(casesNeeded({ ...input, tau2: 0.01 }, 0.05)).toBeNull();
  });
});
