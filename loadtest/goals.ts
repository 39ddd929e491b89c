/** What a result of the sweep over users must show. */
import type { Point, Result } from './result.ts';
import { unfairness } from './table.ts';

export interface LoadRatio {
  what: string;
  ratio: number;
  sign: '<=' | '>=';
  goal: number;
  met: boolean;
  detail: string;
}

/** Of the points at the slots' limit: the one with as many users as slots, and the one with the most users. */
export function loadRatios(result: Result): LoadRatio[] {
  const { slots } = result.model;
  const points = result.points.filter((point) => point.limit === slots);
  const at = points.find((point) => point.users === slots);
  const over = points.filter((point) => point.users > slots).at(-1);
  const failed = result.points.reduce((sum, { k6 }) => sum + k6.failed + k6.broken, 0);
  return [
    ...points.flatMap((point) => ttft(point)),
    ...(at?.theoryPerS ? [theory(at, at.theoryPerS)] : []),
    ...(at === undefined || over === undefined ? [] : goodput(at, over)),
    ...(over === undefined ? [] : fairness(over)),
    ratio('streams that failed or were broken', failed, '<=', 0, `${result.points.length} points`),
  ];
}

/** k6's against the stand-in's own and the retrieval the service reports, by means: medians of parts do not add up. */
function ttft({ users, k6, server }: Point): LoadRatio[] {
  if (server === null || k6.ttftMs === null || k6.retrievalMs === null) return [];
  const own = server.ttftMs.mean + k6.retrievalMs.mean;
  const detail = `${k6.ttftMs.mean.toFixed(1)} / ${own.toFixed(1)} ms`;
  return [
    ratio(`mean ttft of k6 / of the stand-in plus retrieval, ${users} users`, k6.ttftMs.mean / own, '<=', 1.01, detail),
  ];
}

function theory({ users, answersPerS }: Point, theoryPerS: number): LoadRatio {
  const detail = `${answersPerS.toFixed(3)} / ${theoryPerS.toFixed(3)}`;
  return ratio(`answers a second / theory, ${users} users`, answersPerS / theoryPerS, '>=', 0.98, detail);
}

/** Each over its own theory: with more users more questions come twice, and their prompts are found in the cache. */
function goodput(at: Point, over: Point): LoadRatio[] {
  if (!at.theoryPerS || !over.theoryPerS) return [];
  const value = over.answersPerS / over.theoryPerS / (at.answersPerS / at.theoryPerS);
  const detail = `${over.answersPerS.toFixed(3)} / ${at.answersPerS.toFixed(3)} a second, ${over.k6.rejected} times 503`;
  return [ratio(`answers a second over theory, ${over.users} users / ${at.users} users`, value, '>=', 0.97, detail)];
}

function fairness({ users, k6 }: Point): LoadRatio[] {
  const value = unfairness(k6.waitByUser);
  if (value === null) return [];
  return [
    ratio(`longest mean wait of a user / the median user's, ${users} users`, value, '<=', 3, `${k6.answered} answers`),
  ];
}

function ratio(what: string, value: number, sign: LoadRatio['sign'], goal: number, detail: string): LoadRatio {
  return { what, ratio: value, sign, goal, met: sign === '<=' ? value <= goal : value >= goal, detail };
}
