/** At most `width` jobs at a time. Stops taking new ones once the signal aborts or a job throws; waits for those under way. */
export async function runPool<T>(
  items: readonly T[],
  width: number,
  signal: AbortSignal,
  job: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length && failures.length === 0 && !signal.aborted) {
      const item = items[next] as T;
      next += 1;
      await job(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(width, items.length)) }, worker));
  if (failures.length > 0 && !signal.aborted) throw failures[0];
}
