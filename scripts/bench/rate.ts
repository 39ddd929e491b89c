/** How many of `count` are done a second. */
export async function perSecond(count: number, run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return count / ((performance.now() - started) / 1000);
}
