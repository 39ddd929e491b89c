import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { judgeRun } from '../judge.ts';
import { judgeInfo } from '../judges/judge.ts';
import { RUN_FILES } from '../run.ts';
import { type Case, type Metric, metricSchema } from '../schema.ts';
import { loadGate, updateGate } from './config.ts';
import { DEFAULT_FLOORS, proposeFloors } from './floors.ts';
import { measureNoise, recordedNoise } from './noise.ts';
import { formatFloors, formatNoise, formatPower } from './planning-text.ts';
import { measurePower } from './power.ts';
import { sayRight, someCases, type WrittenRun, writeCases, writeRunFolder } from './testing/run-folder.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'planning-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

let made = 0;
const run = (written: WrittenRun = {}) => writeRunFolder(join(dir, `run${made++}`), written);
/** Case i has no fact in repetition i % 4 + 1. */
const noisy = (item: Case, repetition: number) =>
  item.files.length > 0 && Number(item.id.split('-')[1]) % 4 === repetition - 1
    ? { ...sayRight(item), text: sayRight(item).text.replace(/\d+ seconds/g, 'a while') }
    : sayRight(item);
const facts = (result: ReturnType<typeof measureNoise>) =>
  result.metrics.find(({ metric }) => metric === 'key_fact_recall')!;

describe('noise', () => {
  test('of a deterministic system is none, and it says that answers are copies', async () => {
    const result = measureNoise([await run({ runs: 2 }), await run()]);
    expect(result).toMatchObject({ runs: 3, copies: true, findings: [] });
    expect(facts(result)).toMatchObject({ gap: 0, tau2: 0, within: 0, flips: [], means: [1, 1, 1] });
    expect(formatNoise(result)).toContain('Every answer is the same, word for word');
  });
  test('counts gap, variance within a case and how often each case flips', async () => {
    const result = measureNoise([await run({ runs: 4, say: noisy })]);
    const found = facts(result);
    // 14 answerable cases; repetition 1 and 2 lose four of them, 3 and 4 three.
    expect(found.means).toEqual([10, 10, 11, 11].map((x) => expect.closeTo(x / 14, 9)));
    expect(found.gap).toBeCloseTo(1 / 14, 9);
    // Each case has one zero in four: variance 1/4.
    expect(found.within).toBeCloseTo(0.25, 9);
    expect(found.flips).toHaveLength(14);
    expect(found.flips[0]!.rate).toBeCloseTo(0.5, 9);
    expect(result.copies).toBe(false);
    expect(formatNoise(result)).toMatch(/key-fact recall flips: part-0 50%/);
  });
  test('of the judge is apart: the same answers judged twice', async () => {
    const a = await run({ judge: false });
    const b = join(dir, 'again');
    cpSync(a, b, { recursive: true });
    const info = judgeInfo({ name: 'moody', model: 'none', prompt: 'x', settings: {} });
    const judgeWith = (target: string, no: string[]) =>
      judgeRun({
        dir: target,
        signal: new AbortController().signal,
        judge: {
          info,
          concurrency: 1,
          judge: async ({ claim }) => ({
            status: 'judged',
            supported: !no.some((word) => claim.includes(word)),
            score: null,
            reason: null,
          }),
        },
      });
    await judgeWith(a, []);
    await judgeWith(b, ['f3 ', 'f5 ']);
    const result = measureNoise([a, b]);
    // 12 cases of one sentence and 2 of two, and 2 verdicts turned.
    expect(result.judge).toMatchObject({ pairs: 16, flipRate: 2 / 16 });
    expect(result.judge!.variance).toBeCloseTo((2 * 0.5) / 14, 9);
    const faithful = result.metrics.find(({ metric }) => metric === 'faithfulness')!;
    expect(faithful.within).toBeCloseTo(result.judge!.variance, 9);
    expect(formatNoise(result)).toMatch(/12\.5% of 16 verdicts turned.*0\.267 by the judge, 0\.000 by the answers/);
  });
  test('without an answer judged twice it is not measured', async () => {
    expect(measureNoise([await run({ runs: 2 })]).judge).toBeNull();
  });
  test('runs that are no repetitions, and a single one, are refused', async () => {
    const other = await run({ manifest: (m) => ({ ...m, service: { ...m.service, model: 'another' } }) });
    expect(measureNoise([await run(), other]).findings[0]!.message).toContain('have different services');
    expect(measureNoise([await run()]).findings[0]!.message).toBe('noise needs two runs of the same code, there is 1');
    expect(formatNoise(measureNoise([await run()]))).toMatch(/^INVALID/);
  });
  test('is recorded in gate.json beside what stands there', async () => {
    const path = join(dir, 'gate.json');
    writeFileSync(
      path,
      JSON.stringify({ v: 1, cases: 'c', baselines: [{ run: 'r' }], margins: { faithfulness: 0.05 } }),
    );
    updateGate(path, { noise: recordedNoise(measureNoise([await run({ runs: 4, say: noisy })])) });
    const { config } = loadGate(path);
    expect(config.noise.key_fact_recall).toEqual({ gap: 0.0714286, tau2: 0, within: 0.25, runs: 4 });
    expect(config.margins).toEqual({ faithfulness: 0.05 });
  });
});

describe('floors', () => {
  const metric = (change: Partial<Metric>): Metric =>
    metricSchema.parse({
      name: 'faithfulness',
      slice: 'overall',
      n: 40,
      value: 0.8,
      low: 0.71,
      high: 0.88,
      method: 'BCa',
      direction: 'higher',
      ...change,
    });
  const existing = [{ metric: 'faithfulness', slice: 'overall', at_least: 0 }];
  const bound = (change: Partial<Metric>, gap = 0) =>
    proposeFloors([metric(change)], existing, gap ? { faithfulness: { gap, tau2: 0, within: 0, runs: 2 } } : {})[0];
  test('lower end, rounded down to .05', () =>
    expect(bound({})).toEqual({ metric: 'faithfulness', slice: 'overall', at_least: 0.7 }));
  test('moved by the noise', () => expect(bound({}, 0.02)?.at_least).toBe(0.65));
  test('on a step it stays', () => expect(bound({ low: 0.7 })?.at_least).toBe(0.7));
  test('never below 0 nor above 1', () => {
    expect(bound({ low: 0.02 }, 0.3)?.at_least).toBe(0);
    const lower = metric({ name: 'wrong_answer', direction: 'lower', high: 0.99 });
    expect(proposeFloors([lower], [{ metric: 'wrong_answer', slice: 'overall', at_most: 0.5 }], {})[0]?.at_most).toBe(
      1,
    );
  });
  test('where lower is better: upper end, rounded up', () => {
    const lower = metric({ name: 'wrong_answer', direction: 'lower', value: 0.1, low: 0.04, high: 0.22 });
    expect(proposeFloors([lower], [{ metric: 'wrong_answer', slice: 'overall', at_most: 0.5 }], {})).toEqual([
      { metric: 'wrong_answer', slice: 'overall', at_most: 0.25 },
    ]);
  });
  test('all equal: the exact bound, with its reason', () => {
    expect(bound({ value: 1, low: 0.901, high: 1, n: 35 })).toEqual({
      metric: 'faithfulness',
      slice: 'overall',
      at_least: 0.9,
      reason: 'all 35 cases score 1: a bootstrap would call that certain, the bound is that of 35 of 35',
    });
  });
  test('fewer than ten cases get none', () => expect(bound({ n: 9 })).toBeUndefined());
  test('without floors so far, the default ones; a file they are read back from', () => {
    const metrics = DEFAULT_FLOORS.map((name) => metric({ name }));
    const floors = proposeFloors(metrics, [], {});
    expect(floors.map((floor) => floor.metric)).toEqual([...DEFAULT_FLOORS]);
    const path = join(dir, 'gate.json');
    writeCases(join(dir, 'c.jsonl'), someCases());
    writeFileSync(path, JSON.stringify({ v: 1, cases: 'c.jsonl', baselines: [{ run: 'r', floors }], margins: {} }));
    expect(loadGate(path).config.baselines[0]!.floors).toEqual(floors);
    expect(formatFloors('r', floors)).toMatch(/faithfulness\s+overall\s+>= 0\.7/);
  });
});

describe('power', () => {
  const margins = { key_fact_recall: 0.05 };
  test('a deterministic system: only breaking cases make noise', async () => {
    const result = measurePower([await run()], margins, {}, null);
    const [found] = result.metrics;
    expect(found).toMatchObject({ n: 14, within: 0, tau2: 0, drop: 0.05 });
    expect(found!.mde[0]!.even).toBe(0);
    // D = 2.4865 sqrt(D (1-D) / 14)  =>  D = z^2 / (14 + z^2)
    const z2 = 2.486475 ** 2;
    expect(found!.mde[0]!.concentrated).toBeCloseTo(z2 / (14 + z2), 5);
    // z^2 D (1 - D) / D^2 cases
    expect(found!.needs.cases[0]).toEqual({ runs: 1, cases: Math.ceil((z2 * 0.95) / 0.05) });
    expect(found!.needs.runs).toBeNull();
    expect(formatPower(result)).toContain('needs 118 cases with 1 run; more runs alone are never enough');
  });
  test('noise between runs is averaged away by more of them', async () => {
    const [found] = measurePower([await run({ runs: 4, say: noisy })], margins, {}, 0.4).metrics;
    const mde = found!.mde.map(({ even }) => even);
    expect(mde).toEqual([...mde].sort((a, b) => b - a));
    expect(mde[0]).toBeCloseTo(2.486475 * Math.sqrt((0.25 + 0.25) / 14), 5);
    expect(mde[2]).toBeCloseTo(mde[0]! / 2, 9);
    expect(found!.drop).toBe(0.4);
    expect(found!.needs.runs).toBeGreaterThan(0);
  });
  test('a single run takes the recorded noise', async () => {
    const noise = { key_fact_recall: { gap: 0.1, tau2: 0.01, within: 0.25, runs: 4 } };
    const [found] = measurePower([await run()], margins, noise, null).metrics;
    expect(found).toMatchObject({ within: 0.25, tau2: 0.01 });
    expect(found!.needs.cases[0]!.cases).toBeNull();
  });
  test('records that were edited plan nothing', async () => {
    const broken = await run();
    const path = join(broken, RUN_FILES.answers);
    writeFileSync(path, readFileSync(path, 'utf8').replace('30 seconds', '31 seconds'));
    const result = measurePower([broken], margins, {}, null);
    expect(result.metrics).toEqual([]);
    expect(result.findings.length).toBeGreaterThan(0);
    expect(formatPower(result)).toMatch(/^INVALID/);
  });
});
