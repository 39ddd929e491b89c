import { describe, expect, test } from 'vitest';
import { gwetAc1 } from './ac1.ts';
import { correctedRate, correctedRateByStratum } from './corrected-rate.ts';
import { cohensKappa } from './kappa.ts';
import { krippendorffAlpha } from './krippendorff.ts';
import { predictiveValues, sensitivitySpecificity } from './sensitivity.ts';
import { reference } from './testing/reference.ts';
import { wilson } from './wilson.ts';

describe('agreement', () => {
  test.each(reference.agreement)('of $table equals statsmodels', ({ table, kappa, se, low, high, ac1 }) => {
    const got = cohensKappa(table)!;
    expect(got.kappa).toBeCloseTo(kappa, 9);
    expect(got.se).toBeCloseTo(se, 9);
    expect(got.low).toBeCloseTo(low, 7);
    expect(got.high).toBeCloseTo(high, 7);
    expect(gwetAc1(table)).toBeCloseTo(ac1, 9);
  });
  test('known values', () => {
    expect(
      cohensKappa([
        [31, 12],
        [4, 58],
      ]),
    ).toEqual({
      kappa: expect.closeTo(0.6756757, 6),
      se: expect.closeTo(0.0734476, 6),
      low: expect.closeTo(0.531721, 5),
      high: expect.closeTo(0.81963, 5),
    });
    expect(
      krippendorffAlpha([
        [31, 12],
        [4, 58],
      ]),
    ).toBeCloseTo(0.675214, 6);
    // Nearly all items are of one kind: the raters agree on 94%, kappa says below chance, AC1 does not.
    expect(
      cohensKappa([
        [118, 5],
        [2, 0],
      ])!.kappa,
    ).toBeCloseTo(-0.0234, 4);
    expect(
      gwetAc1([
        [118, 5],
        [2, 0],
      ]),
    ).toBeCloseTo(0.9408, 4);
  });
  test('what is undefined is null, not a number', () => {
    expect(
      cohensKappa([
        [9, 0],
        [0, 0],
      ]),
    ).toBeNull();
    expect(
      cohensKappa([
        [0, 0],
        [0, 0],
      ]),
    ).toBeNull();
    expect(
      gwetAc1([
        [0, 0],
        [0, 0],
      ]),
    ).toBeNull();
    expect(
      krippendorffAlpha([
        [9, 0],
        [0, 0],
      ]),
    ).toBeNull();
    expect(
      krippendorffAlpha([
        [0, 0],
        [0, 0],
      ]),
    ).toBeNull();
  });
});

describe('sensitivity and specificity', () => {
  test('by what the person said, predictive values by what the judge said', () => {
    const { sensitivity, specificity } = sensitivitySpecificity([
      [31, 12],
      [4, 58],
    ]);
    expect(sensitivity).toEqual({ k: 31, n: 35, rate: 31 / 35, ...wilson(31, 35) });
    expect(specificity).toEqual({ k: 58, n: 70, rate: 58 / 70, ...wilson(58, 70) });
    const { ppv, npv } = predictiveValues([
      [31, 12],
      [4, 58],
    ]);
    expect(ppv.rate).toBeCloseTo(31 / 43, 12);
    expect(npv.rate).toBeCloseTo(58 / 62, 12);
  });
  test('without an item of a kind there is no rate', () => {
    expect(
      sensitivitySpecificity([
        [5, 0],
        [1, 0],
      ]).specificity,
    ).toEqual({ k: 0, n: 0, rate: null, low: 0, high: 1 });
  });
});

describe('corrected rate', () => {
  test.each(reference.corrected_rates)('p=$p, q0=$q0, q1=$q1 equals the paper', (row) => {
    const got = correctedRate(row)!;
    expect(got.theta).toBeCloseTo(row.theta, 9);
    expect(got.low).toBeCloseTo(row.low, 8);
    expect(got.high).toBeCloseTo(row.high, 8);
  });
  test('known value', () => {
    const got = correctedRate({ p: 0.8, q0: 0.85, q1: 0.9, n: 200, m0: 20, m1: 40 })!;
    expect(got).toMatchObject({ theta: expect.closeTo(0.8667, 4), low: expect.closeTo(0.73758, 5), high: 1 });
  });
  test('a judge no better than a coin corrects nothing', () => {
    expect(correctedRate({ p: 0.5, q0: 0.4, q1: 0.6, n: 50, m0: 10, m1: 10 })).toBeNull();
    expect(correctedRate({ p: 0.5, q0: 0.9, q1: 0.9, n: 50, m0: 0, m1: 10 })).toBeNull();
  });
  test('a sample by verdict is corrected by stratum', () => {
    const got = correctedRateByStratum({
      p: 0.8,
      n: 200,
      confirmedYes: 45,
      gradedYes: 50,
      confirmedNo: 40,
      gradedNo: 50,
    })!;
    expect(got.theta).toBeCloseTo(0.8 * 0.9 + 0.2 * 0.2, 12);
    expect(got.low).toBeLessThan(got.theta);
    expect(got.high).toBeGreaterThan(got.theta);
    expect(got.high - got.low).toBeLessThan(0.2);
  });
  test('a stratum that has verdicts but no grades says nothing', () => {
    const empty = { p: 0.8, n: 200, confirmedYes: 45, gradedYes: 50, confirmedNo: 0, gradedNo: 0 };
    expect(correctedRateByStratum(empty)).toBeNull();
    expect(correctedRateByStratum({ ...empty, p: 1 })!.theta).toBeCloseTo(0.9, 12);
  });
});
