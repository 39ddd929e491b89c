import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sayRight, someCases, writeCases, writeRunFolder } from '../harness/gate/testing/run-folder.ts';
import { type Case, caseSchema } from '../harness/schema.ts';

const bin = fileURLToPath(new URL('askdocs.js', import.meta.url));
const FLOORS = [{ metric: 'key_fact_recall', at_least: 0.9 }];
let dir = '';

interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Run first of all, says at the end how many milliseconds of a processor it took. */
const SAY_CPU =
  'process.on("exit",()=>{const{user,system}=process.cpuUsage();console.error("cpu",Math.round((user+system)/1e3))})';

function askdocs(args: string[], cwd = dir, node: string[] = []): Promise<Ended> {
  const env = { ...process.env, GITHUB_ACTIONS: '', NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile(process.execPath, [...node, bin, ...args], { cwd, env, maxBuffer: 2 ** 26 }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });
}

function writeGate(path: string, change: object = {}) {
  const gate = {
    v: 1,
    cases: 'cases.jsonl',
    baselines: [{ run: 'base', floors: FLOORS }],
    margins: { key_fact_recall: 0.05 },
    ...change,
  };
  writeFileSync(path, JSON.stringify(gate));
}

const wrong = (count: number) => (item: Case) =>
  item.files.length > 0 && Number(item.id.split('-')[1]) < count
    ? { ...sayRight(item), text: sayRight(item).text.replace(/\d+ seconds/g, 'a while') }
    : sayRight(item);

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'gate-cli-'));
  writeCases(join(dir, 'cases.jsonl'), someCases());
  await writeRunFolder(join(dir, 'base'));
  await writeRunFolder(join(dir, 'worse'), { say: wrong(9) });
  await writeRunFolder(join(dir, 'doubtful'), { say: wrong(1) });
  writeGate(join(dir, 'gate.json'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('gate check', () => {
  test('0 passed, in under two seconds', async () => {
    // Time of a processor, not of a clock: other tests run beside this one.
    const { code, out, err } = await askdocs(['gate', 'check'], dir, [`--import=data:text/javascript,${SAY_CPU}`]);
    expect(Number(/cpu (\d+)/.exec(err)?.[1])).toBeLessThan(2000);
    expect(out).toMatch(/^PASSED: 1 floor met/);
    expect(code).toBe(0);
  });
  test('1 a floor missed', async () => {
    writeGate(join(dir, 'missed.json'), { baselines: [{ run: 'worse', floors: FLOORS }] });
    const { code, out } = await askdocs(['gate', 'check', '--gate', 'missed.json', '--format', 'github']);
    expect(code).toBe(1);
    expect(out).toContain('::error file=cases.jsonl,line=1,title=gate%3A floor::part-0: ');
  });
  test('3 stale', async () => {
    writeCases(join(dir, 'fewer.jsonl'), someCases().slice(1));
    writeGate(join(dir, 'stale.json'), { cases: 'fewer.jsonl' });
    const { code, out } = await askdocs(['gate', 'check', '--gate', 'stale.json']);
    expect(code).toBe(3);
    expect(out).toMatch(/^STALE: .*\n[\s\S]*case part-0 was removed after base was recorded/);
  });
  test('64 wrong use', async () => {
    expect(await askdocs(['gate', 'check', '--gate', 'none.json'])).toMatchObject({
      code: 64,
      err: expect.stringContaining('none.json does not exist'),
    });
    expect((await askdocs(['gate', 'check', '--format', 'xml'])).code).toBe(64);
  });
});

describe('gate compare', () => {
  test.each([
    [0, ['base', '--', 'base'], /^IDENTICAL/],
    [1, ['base', '--', 'worse'], /^REGRESSION in key-fact recall/],
    [2, ['base', '--', 'doubtful'], /^INCONCLUSIVE in key-fact recall/],
    [3, ['base', '--', 'nothing'], /^INVALID: nothing: is not a run folder/],
    [3, ['base', '--'], /^INVALID: the new side names no run/],
  ])('exit %d: %j', async (code, args, verdict) => {
    expect(await askdocs(['gate', 'compare', ...args])).toMatchObject({ code, out: expect.stringMatching(verdict) });
  });
  test('options may stand on either side', async () => {
    const before = await askdocs(['gate', 'compare', '--format', 'markdown', 'base', '--', 'worse']);
    const behind = await askdocs(['gate', 'compare', 'base', '--', 'worse', '--format', 'markdown']);
    expect(before.out).toMatch(/^<!-- askdocs gate compare -->/);
    expect(behind).toEqual(before);
  });
  test('64 wrong use', async () => {
    expect((await askdocs(['gate', 'compare', 'base', 'worse'])).err).toContain('gate compare wants two sides');
    expect((await askdocs(['gate', 'compare', 'base', '--', 'worse', '--allow', 'all'])).code).toBe(64);
    expect((await askdocs(['gate', 'compare', 'base', '--', 'worse', '--format', 'xml'])).code).toBe(64);
  });
});

test('noise, floors and power read and write the gate file', async () => {
  writeGate(join(dir, 'plan.json'), { baselines: [{ run: 'base' }] });
  const gate = () => JSON.parse(readFileSync(join(dir, 'plan.json'), 'utf8'));
  expect(await askdocs(['gate', 'noise', 'base', 'base', '--write', '--gate', 'plan.json'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('2 runs of the same code'),
  });
  expect(gate().noise.key_fact_recall).toEqual({ gap: 0, tau2: 0, within: 0, runs: 2 });
  expect((await askdocs(['gate', 'floors', '--gate', 'plan.json'])).out).toMatch(
    /key_fact_recall\s+overall\s+>= 0\.75/,
  );
  expect(gate().baselines[0].floors).toBeUndefined();
  await askdocs(['gate', 'floors', '--write', '--gate', 'plan.json']);
  expect(gate().baselines[0].floors).toContainEqual(
    expect.objectContaining({ metric: 'key_fact_recall', at_least: 0.75 }),
  );
  expect((await askdocs(['gate', 'power', '--drop', '0.2', '--gate', 'plan.json'])).out).toContain(
    'key-fact recall: a drop of 0.2 in few cases needs',
  );
  expect((await askdocs(['gate', 'power', '--drop', '7'])).code).toBe(64);
});

describe('gate check --live runs the baseline again from the documents on', () => {
  const page = (i: number) =>
    `# Widget ${i}\n\nThe widget${i} waits ${30 + i} seconds by default before it gives up.\n`;
  const live = (...more: string[]) =>
    askdocs(['gate', 'check', '--live', '--corpus', 'docs', ...more], join(dir, 'live'));
  beforeAll(async () => {
    const cwd = join(dir, 'live');
    mkdirSync(join(cwd, 'docs'), { recursive: true });
    const cases = Array.from({ length: 10 }, (_, i) =>
      caseSchema.parse({
        id: `widget-${i}`,
        kind: 'factual',
        split: 'dev',
        question: `How many seconds does widget${i} wait?`,
        files: [`widget${i}.md`],
        key_facts: [{ any: [`${30 + i} seconds`] }],
      }),
    );
    for (let i = 0; i < 10; i++) writeFileSync(join(cwd, 'docs', `widget${i}.md`), page(i));
    writeCases(join(cwd, 'cases.jsonl'), cases);
    writeGate(join(cwd, 'gate.json'), {
      baselines: [{ run: 'base', floors: [{ metric: 'service_error', at_most: 0 }] }],
    });
    expect((await askdocs(['index', 'docs', '--db', 'docs.db'], cwd)).code).toBe(0);
    expect(
      (await askdocs(['eval', 'all', '--cases', 'cases.jsonl', '--db', 'docs.db', '--out', 'base'], cwd)).code,
    ).toBe(0);
  });
  test('as recorded: 0', async () => {
    const { code, out, err } = await live();
    expect(out + err).toContain('run again: all 10 cases come out as recorded');
    expect(code).toBe(0);
  });
  test('a document that says something else now: 3, with the case', async () => {
    writeFileSync(join(dir, 'live', 'docs', 'widget4.md'), page(4).replace('34', '99'));
    const { code, out } = await live('--format', 'github');
    expect(code).toBe(3);
    expect(out).toContain('the code no longer gives what was recorded in');
    expect(out).toMatch(/::error file=cases\.jsonl,line=5,title=gate%3A stale::/);
  });
  test('no documents: 64, and how to get them', async () => {
    expect(await live('--corpus', 'none')).toMatchObject({ code: 64, err: expect.stringContaining('npm run corpus') });
  });
});
