import { expect, it } from 'vitest';
import { backoffMs } from './failures.ts';

it('waits twice as long each time, with jitter, up to a bound, and never less than Retry-After', () => {
  expect([0, 1, 2, 3].map((attempt) => backoffMs(attempt, undefined, () => 1))).toEqual([250, 500, 1000, 2000]);
  expect([0, 1, 2, 3].map((attempt) => backoffMs(attempt, undefined, () => 0))).toEqual([125, 250, 500, 1000]);
  expect(backoffMs(20, undefined, () => 1)).toBe(8000);
  expect(backoffMs(0, 3000, () => 1)).toBe(3000);
  expect(backoffMs(5, 10, () => 0)).toBe(4000);
});
