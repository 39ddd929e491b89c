/** The few functions of jstat (MIT) that askdocs calls; the package brings no types. */
declare module 'jstat' {
  const jstat: {
    normal: { inv(p: number, mean: number, sd: number): number; cdf(x: number, mean: number, sd: number): number };
    studentt: { inv(p: number, df: number): number; cdf(x: number, df: number): number };
    beta: { inv(p: number, a: number, b: number): number };
  };
  export = jstat;
}
