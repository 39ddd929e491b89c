/** What the k6 script decides, as plain functions: which question, how long to wait, what counts. */

/** Questions that a model is asked: the gate refuses the others within milliseconds, which is no load. */
export function answerableQuestions(jsonl: string): string[] {
  const cases = jsonl
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as { kind: string; question: string });
  return cases.filter(({ kind }) => kind === 'factual' || kind === 'multi_source').map(({ question }) => question);
}

/** The number of the n-th question of a user (n from 0, users from 1): all together go through the list in order. */
export function questionNumber(user: number, iteration: number, users: number): number {
  return iteration * users + user - 1;
}

/** At most so much longer than asked, in seconds. */
const JITTER = 0.5;

/**
 * Seconds to wait after a 503: as asked (without the header, one), and up to half a second more at random. Whoever comes
 * back after whole seconds, each time just behind somebody else, finds the slot taken each time.
 */
export function retryAfterSeconds(header: string | undefined, random: () => number): number {
  const seconds = Number(header);
  return (header !== undefined && seconds > 0 ? seconds : 1) + JITTER * random();
}

/**
 * Share of an answer that fell into the window, 0 to 1. Summed up and divided by the window's length it is the rate of
 * answers, without the jumps of counting whole ones at the edges.
 */
export function shareInWindow(start: number, end: number, window: { from: number; to: number }): number {
  const inside = Math.min(end, window.to) - Math.max(start, window.from);
  if (inside <= 0) return 0;
  return inside / Math.max(end - start, inside);
}

/** What is measured: not the beginning, when all arrive at once, and not the end, when some are done already. */
export function measuredWindow(startedMs: number, durationMs: number, edgeMs: number): { from: number; to: number } {
  return { from: startedMs + edgeMs, to: startedMs + durationMs - edgeMs };
}
