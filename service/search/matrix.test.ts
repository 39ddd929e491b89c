import { describe, expect, it } from 'vitest';
import { normalized } from './embed/embedder.ts';
import { createMatrix } from './matrix.ts';

/** Reproducible numbers (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const vectors = (count: number, dim: number, seed = 1) => {
  const next = random(seed);
  return Array.from({ length: count }, () => normalized(Float32Array.from({ length: dim }, () => next() - 0.5)));
};
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0);

describe('the matrix', () => {
  it.each([16, 100, 384])('ranks %d dimensions as exact cosines do', (dim) => {
    const rows = vectors(3000, dim);
    const matrix = createMatrix(dim);
    for (const [at, row] of rows.entries()) matrix.add(at + 1, row);
    for (const query of vectors(20, dim, 2)) {
      const exact = rows.map((row, at) => ({ id: at + 1, score: dot(row, query) })).sort((a, b) => b.score - a.score);
      const { best: found, mean } = matrix.nearest(query, 30);
      const ids = new Set(found.map(({ id }) => id));
      expect(exact.slice(0, 10).filter(({ id }) => ids.has(id)).length).toBe(10);
      expect(Math.abs(found[0]!.score - exact[0]!.score)).toBeLessThan(0.02);
      expect(mean).toBeCloseTo(exact.reduce((sum, { score }) => sum + score, 0) / exact.length, 3);
    }
  });

  it('forgets what is dropped, and takes the best of several pieces', () => {
    const [a, b, c] = vectors(3, 64) as [Float32Array, Float32Array, Float32Array];
    const matrix = createMatrix(64);
    matrix.add(1, a);
    matrix.add(1, b);
    matrix.add(2, c);
    expect(matrix.nearest(b, 5).best[0]).toMatchObject({ id: 1, score: expect.closeTo(1, 2) });
    expect(matrix.nearest(b, 5).best).toHaveLength(2);
    matrix.retain((id) => id === 2);
    expect(matrix.size).toBe(1);
    expect(matrix.nearest(c, 5).best).toEqual([{ id: 2, score: expect.closeTo(1, 2) }]);
  });

  it('is empty without vectors', () =>
    expect(createMatrix(64).nearest(new Float32Array(64), 5)).toEqual({ best: [], mean: 0 }));
});
