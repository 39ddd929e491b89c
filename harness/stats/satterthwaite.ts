/**
 * Degrees of freedom of a sum of variances: total^2 / sum(m_i^2 / df_i), m_i the mean squares it is made of. Satterthwaite 1946; with two
 * variances of means it is Welch's. Smallest: one part with one degree of freedom. Never below 1.
 */
export function satterthwaite(total: number, parts: readonly { square: number; df: number }[]): number {
  const spread = parts.reduce((sum, { square, df }) => sum + (square === 0 ? 0 : square ** 2 / df), 0);
  // Squares of what is that small are 0, and 0/0 is no number; then nothing varies but what has the first part's freedom.
  if (total < 1e-100 || spread === 0) return Math.max(1, parts[0]?.df ?? 1);
  return Math.max(1, total ** 2 / spread);
}
