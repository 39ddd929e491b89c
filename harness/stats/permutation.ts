/**
 * Exact permutation of runs within cases: if the change did nothing, the K_A + K_B outcomes of a case could have been dealt to the two sides
 * in any way. The number of successes dealt to the new side is hypergeometric in each case; the cases are convolved.
 * One-sided, for a drop: P(successes of the new side <= those seen). Finds one case that broke wholly: 4/4 -> 0/4 has p = 1/70.
 * It takes runs as independent, so it is a second opinion beside the comparison, never the verdict. Smallest n: 1 case.
 */

export interface CaseCounts {
  base: number;
  baseRuns: number;
  new: number;
  newRuns: number;
}

export function permutationWithinCases(cases: readonly CaseCounts[]): number {
  let ways = [1];
  let seen = 0;
  for (const { base, baseRuns, new: mended, newRuns } of cases) {
    ways = convolve(ways, hypergeometric(base + mended, baseRuns + newRuns, newRuns));
    seen += mended;
  }
  let tail = 0;
  for (let k = 0; k <= seen; k++) tail += ways[k] ?? 0;
  return Math.min(1, tail);
}

/** P(k of `draws` are successes) for k = 0..draws, out of `size` items of which `successes` are. */
function hypergeometric(successes: number, size: number, draws: number): number[] {
  const all = choose(size, draws);
  return Array.from(
    { length: draws + 1 },
    (_, k) => (choose(successes, k) * choose(size - successes, draws - k)) / all,
  );
}

function convolve(a: readonly number[], b: readonly number[]): number[] {
  const out = new Array<number>(a.length + b.length - 1).fill(0);
  a.forEach((x, i) => {
    b.forEach((y, j) => {
      out[i + j] = (out[i + j] ?? 0) + x * y;
    });
  });
  return out;
}

function choose(n: number, k: number): number {
  if (k < 0 || k > n) return 0;
  let result = 1;
  for (let i = 1; i <= k; i++) result = (result * (n - k + i)) / i;
  return result;
}
