/**
 * Quantiles and distribution functions, from jstat: equal to scipy's to seven digits or more (simple-statistics has a four-digit
 * table for the normal distribution, which moves the ends of an interval).
 */
import jstat from 'jstat';

/** z with P(Z <= z) = p. */
export function normalQuantile(p: number): number {
  return jstat.normal.inv(p, 0, 1);
}

/** P(Z <= z). */
export function normalCdf(z: number): number {
  return jstat.normal.cdf(z, 0, 1);
}

/** t with P(T <= t) = p at `df` degrees of freedom (any positive number). */
export function tQuantile(p: number, df: number): number {
  return jstat.studentt.inv(p, df);
}

/** P(T <= t) at `df` degrees of freedom. */
export function tCdf(t: number, df: number): number {
  return jstat.studentt.cdf(t, df);
}

/** x with P(X <= x) = p for X ~ Beta(a, b). */
export function betaQuantile(p: number, a: number, b: number): number {
  return jstat.beta.inv(p, a, b);
}
