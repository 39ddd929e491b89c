/**
 * Exact McNemar test: of b + c cases that changed, b broke and c were mended; under no change each is a fair coin.
 * McNemar 1947, exact binomial form. Smallest n: 1 changed case (none gives p = 1); one-sided .05 needs 5 of 5.
 */

/** P(at least `broke` of broke + mended). One-sided, for a drop. */
export function mcnemarOneSided(broke: number, mended: number): number {
  const n = broke + mended;
  let term = 0.5 ** n;
  let tail = broke === 0 ? term : 0;
  for (let k = 1; k <= n; k++) {
    term *= (n - k + 1) / k;
    if (k >= broke) tail += term;
  }
  return broke === 0 ? 1 : Math.min(1, tail);
}

export function mcnemarTwoSided(broke: number, mended: number): number {
  if (broke + mended === 0) return 1;
  return Math.min(1, 2 * mcnemarOneSided(Math.max(broke, mended), Math.min(broke, mended)));
}
