/** The exact test beside a comparison: see ../stats/permutation.ts. */
import { metricInfo } from '../metrics/catalog.ts';
import { permutationWithinCases } from '../stats/permutation.ts';
import type { Paired } from './pairs.ts';

/** Only where every score is 0 or 1 and a side has several runs. */
export function permutationOf(metric: string, { pairs }: Paired): number | null {
  const info = metricInfo(metric);
  const all = pairs.flatMap((pair) => [...pair.base, ...pair.new]).filter((x) => x !== null);
  if (all.length <= 2 * pairs.length || all.some((x) => x !== 0 && x !== 1)) return null;
  const count = (runs: readonly (number | null)[]) => {
    const known = runs.filter((x) => x !== null);
    return { good: known.filter((x) => x === (info?.direction === 'lower' ? 0 : 1)).length, of: known.length };
  };
  return permutationWithinCases(
    pairs.map((pair) => {
      const [a, b] = [count(pair.base), count(pair.new)];
      return { base: a.good, baseRuns: a.of, new: b.good, newRuns: b.of };
    }),
  );
}
