/**
 * recall@k = |labelled files among the first k ranked| / |labelled files|. One file counts once, at the rank of its best passage.
 * Reference: Manning et al., Introduction to Information Retrieval, ch. 8; `R@k` of ir-measures. Smallest n: 1 labelled file.
 */
export function recallAt(k: number, ranked: readonly string[], relevant: ReadonlySet<string>): number | null {
  if (relevant.size === 0) return null;
  const found = ranked.slice(0, k).filter((id) => relevant.has(id)).length;
  return found / relevant.size;
}
