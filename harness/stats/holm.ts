/**
 * Holm's step-down adjustment: sorted p_(i) becomes the running maximum of min(1, (m - i + 1) p_(i)). The chance of any false alarm over
 * all m tests stays below the level. Holm 1979. Smallest m: 1. In the order given.
 */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((p, at) => ({ p, at })).sort((x, y) => x.p - y.p);
  const adjusted = new Array<number>(ps.length).fill(1);
  let highest = 0;
  order.forEach(({ p, at }, rank) => {
    highest = Math.max(highest, Math.min(1, (ps.length - rank) * p));
    adjusted[at] = highest;
  });
  return adjusted;
}
