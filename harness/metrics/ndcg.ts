/**
 * nDCG@k = DCG@k / ideal DCG@k, DCG@k = sum over ranks i <= k of gain_i / log2(i + 1), the gain being the graded relevance.
 * Reference: Järvelin & Kekäläinen 2002; `nDCG@k` of ir-measures (pytrec_eval: linear gains). Smallest n: 1 relevant document.
 */
export function ndcgAt(k: number, ranked: readonly string[], gains: ReadonlyMap<string, number>): number | null {
  const ideal = dcg(
    [...gains.values()].filter((gain) => gain > 0).sort((a, b) => b - a),
    k,
  );
  if (ideal === 0) return null;
  return (
    dcg(
      ranked.map((id) => Math.max(0, gains.get(id) ?? 0)),
      k,
    ) / ideal
  );
}

function dcg(gains: number[], k: number): number {
  return gains.slice(0, k).reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);
}
