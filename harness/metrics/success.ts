/** Success@k = 1 when any labelled file is among the first k, else 0. Reference: `Success@k` of ir-measures. Smallest n: 1 labelled file. */
export function successAt(k: number, ranked: readonly string[], relevant: ReadonlySet<string>): number | null {
  if (relevant.size === 0) return null;
  return ranked.slice(0, k).some((id) => relevant.has(id)) ? 1 : 0;
}
