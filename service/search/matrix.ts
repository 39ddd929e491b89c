/**
 * All vectors of an index in memory, 8 bits a number: 384 bytes and a few more for each passage. The scan is exact but for
 * the rounding; the caller scores the best anew with the stored vectors.
 */
import { createDotKernel } from './dot.ts';
import type { Scored } from './lexical.ts';

export interface Matrix {
  readonly size: number;
  add(passage: number, vector: Float32Array): void;
  /** Forgets the passages for which `stays` is false. */
  retain(stays: (passage: number) => boolean): void;
  /** The passages nearest to a vector of length 1 by about their cosine, best first; of several pieces the best counts; and the mean of all. */
  nearest(query: Float32Array, limit: number): { best: Scored[]; mean: number };
  /** Bytes held. */
  bytes(): number;
}

const PAGE = 65_536;

export function createMatrix(dimensions: number): Matrix {
  const kernel = createDotKernel();
  const dim = Math.ceil(dimensions / 16) * 16;
  let size = 0;
  let capacity = 0;
  let passages = new Float64Array(0);
  let scales = new Float32Array(0);
  // Memory: the query, then the rows, then one int32 for each row.
  const rowAt = (row: number) => dim * (row + 1);
  const outAt = () => dim * (capacity + 1);
  const reserve = (wanted: number) => {
    if (wanted <= capacity) return;
    capacity = Math.max(1024, wanted, Math.ceil(capacity * 1.5));
    const missing = outAt() + 4 * capacity - kernel.memory.buffer.byteLength;
    if (missing > 0) kernel.memory.grow(Math.ceil(missing / PAGE));
    passages = grown(passages, new Float64Array(capacity));
    scales = grown(scales, new Float32Array(capacity));
  };
  return {
    get size() {
      return size;
    },
    add(passage, vector) {
      reserve(size + 1);
      scales[size] = quantise(vector, new Int8Array(kernel.memory.buffer, rowAt(size), dim));
      passages[size] = passage;
      size++;
    },
    retain(stays) {
      const bytes = new Int8Array(kernel.memory.buffer);
      let to = 0;
      for (let from = 0; from < size; from++) {
        if (!stays(passages[from] ?? 0)) continue;
        bytes.copyWithin(rowAt(to), rowAt(from), rowAt(from + 1));
        passages[to] = passages[from] ?? 0;
        scales[to] = scales[from] ?? 0;
        to++;
      }
      size = to;
    },
    nearest(query, limit) {
      const scale = quantise(query, new Int8Array(kernel.memory.buffer, 0, dim));
      kernel.dot(0, rowAt(0), size, dim, outAt());
      const dots = new Int32Array(kernel.memory.buffer, outAt(), size);
      return best(dots, { scales, passages, limit, scale });
    },
    bytes: () => kernel.memory.buffer.byteLength + passages.byteLength + scales.byteLength,
  };
}

function grown<T extends Float64Array | Float32Array>(old: T, fresh: T): T {
  fresh.set(old);
  return fresh;
}

/** Writes the vector as 8-bit numbers and returns what one of them is worth. */
function quantise(vector: Float32Array, into: Int8Array): number {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const scale = largest / 127;
  into.fill(0);
  if (scale > 0) for (let i = 0; i < vector.length; i++) into[i] = Math.round((vector[i] ?? 0) / scale);
  return scale;
}

interface Rows {
  scales: Float32Array;
  passages: Float64Array;
  limit: number;
  /** Of the query. */
  scale: number;
}

function best(dots: Int32Array, { scales, passages, limit, scale }: Rows): { best: Scored[]; mean: number } {
  const scores = new Float32Array(dots.length);
  let sum = 0;
  for (let row = 0; row < dots.length; row++) {
    const score = (dots[row] ?? 0) * (scales[row] ?? 0) * scale;
    scores[row] = score;
    sum += score;
  }
  const found = new Map<number, number>();
  for (const row of topRows(scores, limit * 2)) {
    const passage = passages[row] ?? 0;
    if (!found.has(passage)) found.set(passage, scores[row] ?? 0);
    if (found.size === limit) break;
  }
  return { best: [...found].map(([id, score]) => ({ id, score })), mean: dots.length === 0 ? 0 : sum / dots.length };
}

/** Rows of the largest scores, best first; only those above the worst kept so far are sorted. */
function topRows(scores: Float32Array, limit: number): number[] {
  const heap: number[] = [];
  let bound = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < scores.length; row++) {
    if ((scores[row] ?? 0) <= bound) continue;
    heap.push(row);
    if (heap.length < limit * 4) continue;
    cut(heap, scores, limit);
    bound = scores[heap[limit - 1] ?? 0] ?? bound;
  }
  return cut(heap, scores, limit);
}

function cut(rows: number[], scores: Float32Array, limit: number): number[] {
  rows.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  rows.length = Math.min(rows.length, limit);
  return rows;
}
