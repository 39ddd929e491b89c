import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { listOf, numberOf, sweptLimits } from './options.ts';
import { viewOf } from './server-view.ts';
import { advice, levelsFor } from './size.ts';
import { planPoints, toPoint, warmUp } from './sweep.ts';
import { unfairness } from './table.ts';
import { rootOf } from './target.ts';
import { pointSummary } from './testing/summaries.ts';

const target = { root: undefined, slots: 4, rates: { prefillPerSecond: 1000, stepMs: 10, slotMs: 2 }, standIn: {} };

it('plans users at the limit of the slots, and lets them pause only where some are refused', () => {
  expect(planPoints([1, 4, 16], [], 4, 1)).toEqual([
    { users: 1, limit: 4, pauseS: 0 },
    { users: 4, limit: 4, pauseS: 0 },
    { users: 16, limit: 4, pauseS: 1 },
  ]);
});

it('plans limits at the most users', () => {
  expect(planPoints([1, 4, 16], [2, 32], 4, 1)).toEqual([
    { users: 16, limit: 2, pauseS: 1 },
    { users: 16, limit: 32, pauseS: 0 },
  ]);
});

it('compares with the theory of the slots that can be at work', () => {
  const k6 = pointSummary({ promptTokens: 1000, cachedTokens: 500, completionTokens: 101 });
  const theory = (users: number, limit: number) => toPoint({ users, limit, pauseS: 0 }, k6, null, target).theoryPerS;
  // 500 tokens evaluated: 500 ms; 100 steps of 2 ms; 101 steps of 10 ms shared by the slots at work.
  expect(theory(1, 4)).toBeCloseTo(1000 / (500 + 200 + 1010));
  expect(theory(16, 2)).toBeCloseTo(1000 / (500 + 200 + 505));
  expect(theory(16, 8)).toBeCloseTo(1000 / (500 + 200 + 252.5));
  const silent = pointSummary({ promptTokens: null, completionTokens: null });
  expect(toPoint({ users: 1, limit: 1, pauseS: 0 }, silent, null, target).theoryPerS).toBeNull();
});

it('reads the log of the stand-in without those who left', () => {
  const entry = (arrived: number, started: number | null, firstToken: number | null, cancelled = false) => {
    return { arrived, started, firstToken, cancelled };
  };
  const view = viewOf([entry(0, 0, 100), entry(10, 60, 310), entry(20, 30, null, true), entry(30, null, null, true)]);
  expect(view).toMatchObject({ requests: 4, ttftMs: { p50: 200, mean: 200, max: 300 }, queueMs: { p50: 25, max: 50 } });
  expect(viewOf([])).toBeNull();
});

it('asks so many different questions before those that count, and leaves failures to k6', async () => {
  const asked: string[] = [];
  const server = createServer(async (req, res) => {
    for await (const part of req) asked.push(String(part));
    res.writeHead(500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await warmUp(url, 3, new AbortController().signal);
  await warmUp(url, 3, AbortSignal.abort());
  server.close();
  await warmUp(url, 1, new AbortController().signal);
  expect(new Set(asked).size).toBe(3);
  expect(asked).toHaveLength(3);
});

it('measures fairness by the longest mean wait of a user', () => {
  expect(unfairness([1000, 1000, 4000])).toBe(4);
  expect(unfairness([1000, 3000])).toBe(1.5);
  expect(unfairness([1000, null])).toBeNull();
});

it.each([
  ['--users', () => listOf('--users', '1,x')],
  ['--users', () => listOf('--users', '0')],
  ['--sweep', () => sweptLimits('users=1,2')],
  ['--sweep limit', () => sweptLimits('limit=')],
  ['--pause', () => numberOf('--pause', '-1', 0, 10)],
  ['--pause', () => numberOf('--pause', '', 0, 10)],
  ['--llm', () => rootOf('localhost:8081')],
])('refuses a wrong %s by name', (option, read) => {
  expect(read).toThrow(option);
});

it('reads options', () => {
  expect(listOf('--users', '1,4,16')).toEqual([1, 4, 16]);
  expect([sweptLimits('limit=2,4'), sweptLimits(undefined)]).toEqual([[2, 4], []]);
  expect(['http://h:1/v1/', 'http://h:1/', 'http://h:1/v1'].map(rootOf)).toEqual(Array(3).fill('http://h:1'));
});

it('advises the slots as the limit, with what was measured', () => {
  expect([levelsFor(1), levelsFor(4)]).toEqual([
    [1, 2],
    [2, 4, 8],
  ]);
  const levels = levelsFor(4).map((atOnce) => ({ atOnce, answersPerS: atOnce / 8, ttftMs: atOnce * 100 }));
  expect(advice(4, levels)).toMatch(
    /^Set ASKDOCS_MAX_CONCURRENT=4, .* asked 2, 4, 8 questions at once it gives 0\.25, 0\.50, 1\.0 answers a second, .* 0\.2, 0\.4, 0\.8 s; .*llama\.cpp, where no one is told\.$/,
  );
});
