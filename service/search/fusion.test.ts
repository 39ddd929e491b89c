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

  it('counts a passage that one half did not list as the worst there', () => {
    const fused = fuse(list([1, 10], [2, 9]), list([3, 0.5], [1, 0.4]), 0.5);
    expect(order(fused)).toEqual([1, 3, 2]);
    expect(fused[1]).toMatchObject({ bm25: null, fusion: 0.5 });
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
