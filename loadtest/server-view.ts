/** The stand-in's own log, in the numbers that are compared with what k6 saw. */
import { z } from 'zod';
import type { Percentiles } from './k6/summary.ts';
import type { ServerView } from './result.ts';

const entrySchema = z.object({
  arrived: z.number(),
  started: z.number().nullable(),
  firstToken: z.number().nullable(),
  cancelled: z.boolean(),
});
type LogEntry = z.infer<typeof entrySchema>;

export async function readStandInLog(root: string): Promise<LogEntry[]> {
  return z.array(entrySchema).parse(await (await fetch(`${root}/log`)).json());
}

/** Null when no request was answered. */
export function viewOf(log: readonly LogEntry[]): ServerView | null {
  const answered = log.filter(({ firstToken, cancelled }) => firstToken !== null && !cancelled);
  if (answered.length === 0) return null;
  return {
    requests: log.length,
    ttftMs: percentilesOf(answered.map(({ arrived, firstToken }) => (firstToken ?? 0) - arrived)),
    queueMs: percentilesOf(answered.map(({ arrived, started }) => (started ?? 0) - arrived)),
  };
}

/** With linear interpolation, as k6 computes them. */
function percentilesOf(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => {
    const place = share * (sorted.length - 1);
    const below = sorted[Math.floor(place)] ?? 0;
    return below + (place % 1) * ((sorted[Math.ceil(place)] ?? 0) - below);
  };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { p50: at(0.5), p95: at(0.95), max: sorted.at(-1) ?? 0, mean };
}
