/**
 * Reciprocal rank at k: 1 / rank of the first relevant document among the first k, else 0; its mean is MRR@k.
 * Reference: Voorhees 1999; `RR@k` of ir-measures. Smallest n: 1 relevant document.
 */
export function reciprocalRank(k: number, ranked: readonly string[], relevant: ReadonlySet<string>): number | null {
  if (relevant.size === 0) return null;
  const index = ranked.slice(0, k).findIndex((id) => relevant.has(id));
  return index < 0 ? 0 : 1 / (index + 1);
}
