import { expect, it } from 'vitest';
import { loadRatios } from './goals.ts';
import type { Point, Result } from './result.ts';
import { pointSummary } from './testing/summaries.ts';

const times = (p50: number) => ({ p50, p95: 2 * p50, max: 3 * p50, mean: p50 });

function result(over: Partial<Point> = {}, k6 = {}): Result {
  const at: Point = {
    users: 4,
    limit: 4,
    pauseS: 0,
    answersPerS: 1,
    theoryPerS: 1.01,
    k6: pointSummary({ ttftMs: times(404), retrievalMs: times(10) }),
    server: { requests: 60, ttftMs: times(392), queueMs: times(5) },
  };
  const most = { ...at, users: 16, pauseS: 1, answersPerS: 0.98, server: null, k6: pointSummary(k6), ...over };
  return {
    schema_version: 1,
    name: 'x',
    date: '2026-12-02',
    target: 'stand-in',
    hardware: { cpu: 'c', cores: 2, memory_gib: 24, platform: 'linux x64' },
    versions: { askdocs: '0', node: '20', k6: '2.2.0', llama: '' },
    git: null,
    model: { name: 'm', slots: 4, context: 8192 },
    rates: { prefillPerSecond: 3000, stepMs: 16, slotMs: 4 },
    settings: {
      durationS: 60,
      warmUpQuestions: 8,
      edgeS: 5,
      maxTokens: 128,
      topK: 5,
      retrieval: 'lexical',
      questions: 89,
    },
    points: [at, most],
  };
}

const missed = (value: Result) => loadRatios(value).flatMap(({ met, what }) => (met ? [] : [what]));

it('finds every goal met in a good result', () => {
  expect(loadRatios(result())).toHaveLength(5);
  expect(missed(result())).toEqual([]);
});

it.each([
  [
    'goodput that falls beyond the slots',
    result({ answersPerS: 0.96 }),
    'answers a second over theory, 16 users / 4 users',
  ],
  [
    'a user who waits four times as long',
    result({}, { waitByUser: [1000, 1000, 1000, 4000] }),
    "longest mean wait of a user / the median user's, 16 users",
  ],
  ['a broken stream', result({}, { broken: 1 }), 'streams that failed or were broken'],
])('shows %s', (_what, value, expected) => {
  expect(missed(value)).toEqual([expected]);
});

it('shows a rate below theory and a first token that the server sent earlier', () => {
  const slow = result();
  Object.assign(slow.points[0] as Point, {
    theoryPerS: 1.03,
    k6: pointSummary({ ttftMs: times(420), retrievalMs: times(10) }),
  });
  Object.assign(slow.points[1] as Point, { answersPerS: 0.98 });
  expect(missed(slow)).toEqual([
    'mean ttft of k6 / of the stand-in plus retrieval, 4 users',
    'answers a second / theory, 4 users',
  ]);
});
