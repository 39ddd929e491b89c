/**
 * Sign-flip test of paired differences: under no change each difference could as well have had the other sign. One-sided, for a drop.
 * Exact by enumeration up to 2^16 sign patterns of the non-zero differences, else 20 000 seeded random ones with (hits + 1)/(draws + 1).
 * Fisher 1935; Phipson and Smyth 2010. Smallest n: 1 non-zero difference (none gives p = 1); .05 needs 5.
 */
import { createRandom, DEFAULT_SEED } from './random.ts';

const MOST_EXACT = 16;
const DRAWS = 20_000;

/** P(sum of randomly signed |d| <= sum seen). */
export function signFlip(differences: readonly number[], seed: string = DEFAULT_SEED): { p: number; exact: boolean } {
  const changed = differences.filter((d) => d !== 0);
  const seen = changed.reduce((s, d) => s + d, 0);
  const sizes = Float64Array.from(changed, Math.abs);
  if (sizes.length === 0) return { p: 1, exact: true };
  if (sizes.length <= MOST_EXACT) return { p: enumerate(sizes, seen), exact: true };
  return { p: draw(sizes, seen, createRandom(seed)), exact: false };
}

function enumerate(sizes: Float64Array, seen: number): number {
  const patterns = 2 ** sizes.length;
  let hits = 0;
  for (let pattern = 0; pattern < patterns; pattern++) {
    let sum = 0;
    for (let i = 0; i < sizes.length; i++) sum += (pattern >> i) & 1 ? (sizes[i] ?? 0) : -(sizes[i] ?? 0);
    if (sum <= seen + 1e-9) hits += 1;
  }
  return hits / patterns;
}

function draw(sizes: Float64Array, seen: number, random: () => number): number {
  let hits = 0;
  for (let r = 0; r < DRAWS; r++) {
    let sum = 0;
    for (const size of sizes) sum += random() < 0.5 ? size : -size;
    if (sum <= seen + 1e-9) hits += 1;
  }
  return (hits + 1) / (DRAWS + 1);
}
