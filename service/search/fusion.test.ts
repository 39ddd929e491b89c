import { describe, expect, it } from 'vitest';
import { fuse } from './fusion.ts';

const list = (...pairs: [number, number][]) => pairs.map(([id, score]) => ({ id, score }));
const order = (fused: ReturnType<typeof fuse>) => fused.map(({ id }) => id);
const words = list([1, 10], [2, 5], [3, 0.5]);
const near = list([3, 0.8], [2, 0.6], [1, 0.4]);

describe('the fusion', () => {
  it('adds words as a share of the best, and the cosine by its place between mean and nearest', () => {
    const second = fuse({ words, near, mean: 0.2 }, 10, 0.5).find(({ id }) => id === 2);
    expect(second).toMatchObject({ bm25: 5, cosine: 0.6 });
    expect(second?.fusion).toBeCloseTo(0.5 * (5 / 10) + 0.5 * (0.4 / 0.6), 10);
  });

  it('scores what one half found by the other half too', () => {
    const fused = fuse({ words, near: list([4, 0.8]), mean: 0.2, cosineOf: (id) => 0.5 - id / 10 }, 2, 0.5);
    expect(order(fused)).toEqual([1, 4, 2]);
    expect(fused[0]).toMatchObject({ cosine: 0.4, fusion: expect.closeTo(0.5 + 0.5 * (0.2 / 0.6), 10) });
    const deeper = fuse({ words, near: list([3, 0.8]), mean: 0.2 }, 1, 0.5);
    expect(deeper.find(({ id }) => id === 3)).toMatchObject({ bm25: 0.5, fusion: expect.closeTo(0.525, 10) });
  });

  it('begins a longer list as it begins a shorter one', () => {
    const halves = { words, near, mean: 0.2 };
    const [short, long] = [fuse(halves, 1), fuse(halves, 3)];
    for (const one of short) expect(long.find(({ id }) => id === one.id)).toEqual(one);
  });

  it('gives a passage no worse than nothing: below the mean of the index, or without a vector', () => {
    const fused = fuse({ words: list([1, 10]), near: list([3, 0.8], [2, 0.1]), mean: 0.2 }, 10, 0.5);
    expect(order(fused)).toEqual([1, 3, 2]);
    expect(fused[2]).toMatchObject({ bm25: null, fusion: 0 });
    expect(fused[0]).toMatchObject({ cosine: null, fusion: 0.5 });
  });

  it('ranks by one half alone', () => {
    expect(order(fuse({ words: list([4, 3], [2, 1]), near: [], mean: 0 }, 10))).toEqual([4, 2]);
    expect(order(fuse({ words: [], near: list([2, 0.9], [4, 0.1]), mean: 0 }, 10))).toEqual([2, 4]);
    expect(fuse({ words: list([4, 3]), near: [], mean: 0 }, 10)).toEqual([{ id: 4, bm25: 3, cosine: null, fusion: 1 }]);
  });

  it('keeps one order among equals', () => {
    expect(order(fuse({ words: list([9, 2], [1, 2], [5, 2]), near: [], mean: 0 }, 10))).toEqual([1, 5, 9]);
  });

  it('is empty without candidates', () => expect(fuse({ words: [], near: [], mean: 0 }, 10)).toEqual([]));
});
