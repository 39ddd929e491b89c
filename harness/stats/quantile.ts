/** The p-quantile of sorted values, linear between neighbours (type 7 of Hyndman and Fan 1996, numpy's default). */
export function quantileSorted(sorted: ArrayLike<number>, p: number): number {
  const at = Math.min(Math.max(p, 0), 1) * (sorted.length - 1);
  const below = Math.floor(at);
  const low = sorted[below] ?? 0;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? low;
  // Equal neighbours must give their value exactly, not a rounding of it.
  return low === high ? low : low + (high - low) * (at - below);
}
