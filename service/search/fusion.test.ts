import { describe, expect, it } from 'vitest';
import { fuse } from './fusion.ts';

const list = (...pairs: [number, number][]) => pairs.map(([id, score]) => ({ id, score }));
const order = (fused: ReturnType<typeof fuse>) => fused.map(({ id }) => id);

describe('the fusion', () => {
  it('adds shares of each half by weight', () => {
    const fused = fuse(list([1, 10], [2, 5], [3, 0.5]), list([3, 0.8], [2, 0.6], [1, 0.4]), 0.5);
    const [second] = fused.filter(({ id }) => id === 2);
    expect(second).toMatchObject({ bm25: 5, cosine: 0.6 });
    expect(second?.fusion).toBeCloseTo(0.5 * (4.5 / 9.5) + 0.5 * 0.5, 10);
  });

  it('takes a passage without a word of the question for none, not for the worst match', () => {
    // 3 was found by meaning alone; 2 matches nearly as well as 1 and must keep nearly all of it.
    const fused = fuse(list([1, 10], [2, 9]), list([1, 0.5], [3, 0.5], [2, 0.5]), 0.5);
    expect(fused.find(({ id }) => id === 2)?.fusion).toBeCloseTo(0.95, 10);
    expect(order(fused)).toEqual([1, 2, 3]);
    expect(fused[2]).toMatchObject({ bm25: null, fusion: 0.5 });
  });

  it('ranks by one half alone', () => {
    expect(order(fuse(list([4, 3], [2, 1]), [], 0))).toEqual([4, 2]);
    expect(order(fuse([], list([2, 0.9], [4, 0.1]), 1))).toEqual([2, 4]);
    expect(fuse(list([4, 3]), [], 0)).toEqual([{ id: 4, bm25: 3, cosine: null, fusion: 1 }]);
  });

  it('keeps one order among equals', () => {
    expect(order(fuse(list([9, 2], [1, 2], [5, 2]), [], 0))).toEqual([1, 5, 9]);
  });

  it('is empty without candidates', () => expect(fuse([], [])).toEqual([]));
});
