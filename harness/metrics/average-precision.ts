/**
 * AP = (1 / |relevant|) * sum over ranks i of a relevant document of precision@i; its mean is MAP.
 * Reference: Manning et al., ch. 8.4; `AP` of ir-measures. Smallest n: 1 relevant document.
 */
export function averagePrecision(ranked: readonly string[], relevant: ReadonlySet<string>): number | null {
  if (relevant.size === 0) return null;
  let found = 0;
  let sum = 0;
  ranked.forEach((id, index) => {
    if (!relevant.has(id)) return;
    found += 1;
    sum += found / (index + 1);
  });
  return sum / relevant.size;
}
