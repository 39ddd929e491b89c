import { expect, it } from 'vitest';
import { allMet, benchTable, readRows } from './read.ts';

it('reads one ratio a line', () => {
  const output = `time to first token, service / direct, 450 ms prefill     1.021  <= 1.05: holds  (462 / 452 ms)
answers a second at the slots / theory  0.912  >= 0.95: MISSED  (3.7 / 4.0)
one search over MCP that finds at once (median)             (1419 microseconds)`;
  expect(readRows(output)).toEqual([
    { what: 'time to first token, service / direct, 450 ms prefill', measured: 1.021, goal: '<= 1.05', met: true },
    { what: 'answers a second at the slots / theory', measured: 0.912, goal: '>= 0.95', met: false },
  ]);
});

it('reads the table of bench:gate', () => {
  const output = `35 cases, 4 runs a side

| profile | drop | tau | askdocs | goal | paired bootstrap alone |
|---|---|---|---|---|---|
| low | none | 0 | 0.013 | <= 0.05 | 0.1 |
| low | 0.15 | 0 | 0.910 | **>= 0.95** | 0.9 |
| low | 0.15 | 0.5 | 0.700 |  | 0.9 |
`;
  expect(readRows(output)).toEqual([
    { what: 'false regressions, low, drop none, tau 0', measured: 0.013, goal: '<= 0.05', met: true },
    { what: 'power, low, drop 0.15, tau 0', measured: 0.91, goal: '>= 0.95', met: false },
  ]);
});

it('reads the shares of bench:prompt and the object of bench:judge', () => {
  expect(
    readRows('  ours                         2013        1 (0.1%)       230 (11.4%)      1800 (89.0%)\n'),
  ).toMatchObject([
    { measured: 0.001, goal: '<= 0.05', met: true },
    { measured: 0.114, goal: '<= 0.1', met: false },
  ]);
  expect(readRows('{"ratio": 0.2, "goal": 0.25, "met": true}')).toMatchObject([
    { measured: 0.2, goal: '<= 0.25', met: true },
  ]);
});

it('puts all into one table, and says which benchmark failed or could not be read', () => {
  const row = { what: 'a / b', measured: 0.9712, goal: '>= 0.97', met: true };
  const good = { name: 'load', rows: [row], code: 0, seconds: 3 };
  const bad = { name: 'service', rows: [], code: 70, seconds: 3 };
  expect(benchTable([good, bad]).split('\n').slice(2)).toEqual([
    '| load | a / b | 0.971 | >= 0.97 | met |',
    '',
    'service: failed with code 70 after 3 s.',
  ]);
  expect([allMet([good]), allMet([good, bad]), allMet([{ ...good, rows: [{ ...row, met: false }], code: 1 }])]).toEqual(
    [true, false, false],
  );
});
