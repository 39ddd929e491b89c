import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { drawSample, writeSample } from '../agreement.ts';
import { RUN_FILES, readRun } from '../run.ts';
import type { Case } from '../schema.ts';
import { checkGate } from './check.ts';
import { CHECK_FORMATS, formatCheck, verdictLine } from './check-text.ts';
import { type GateConfig, loadGate } from './config.ts';
import { type Said, sayRight, someCases, writeCases, writeRunFolder } from './testing/run-folder.ts';

let dir = '';
const FLOORS: GateConfig['baselines'][number]['floors'] = [
  { metric: 'context_recall', slice: 'overall', at_least: 0.9 },
  { metric: 'key_fact_recall', slice: 'overall', at_least: 0.9 },
  { metric: 'right_decision', slice: 'overall', at_least: 0.9 },
  { metric: 'faithfulness', slice: 'overall', at_least: 0.9 },
  { metric: 'citation_out_of_range', slice: 'overall', at_most: 0.05 },
  { metric: 'wrong_answer', slice: 'overall', at_most: 0.1 },
];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'gate-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function writeGate(change: Partial<GateConfig> = {}): string {
  const path = join(dir, 'gate.json');
  const config = {
    v: 1,
    cases: 'cases.jsonl',
    baselines: [{ run: 'baseline', floors: FLOORS }],
    margins: { context_recall: 0.05 },
    noise: {},
    ...change,
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

async function project(options: { say?: (item: Case, run: number) => Said; gate?: Partial<GateConfig> } = {}) {
  writeCases(join(dir, 'cases.jsonl'), someCases());
  await writeRunFolder(join(dir, 'baseline'), options.say ? { say: options.say } : {});
  writeGate(options.gate);
}

const check = (stale: string[] = []) => checkGate(loadGate(join(dir, 'gate.json')), () => stale);
const messages = () => check().findings.map(({ message }) => message);

function edit(file: string, from: string, to: string) {
  const path = join(dir, 'baseline', file);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
}

test('records as they were made, all floors met: exit 0', async () => {
  await project();
  const result = check();
  expect(result.findings).toEqual([]);
  expect(result.exit).toBe(0);
  expect(result.runs[0]!.rows).toHaveLength(FLOORS.length);
  expect(verdictLine(result)).toBe('PASSED: 6 floors met, recomputed from the records of 24 cases.');
});

describe('cases that changed without a rerun: exit 3, with the line', () => {
  test('edited', async () => {
    await project();
    const cases = someCases();
    cases[3] = { ...cases[3]!, key_facts: [{ any: ['34 seconds'], vital: true }] };
    writeCases(join(dir, 'cases.jsonl'), cases);
    const result = check();
    expect(result.exit).toBe(3);
    expect(result.findings).toHaveLength(1);
    expect(result.findings[0]).toMatchObject({ kind: 'stale', cases: [{ id: 'part-3', line: 4 }] });
    expect(result.findings[0]!.message).toContain('case part-3 was edited after');
    expect(formatCheck(result, 'github')).toMatch(
      /::error file=.*cases\.jsonl,line=4,title=gate%3A stale::case part-3 was edited/,
    );
  });
  test('added and removed', async () => {
    await project();
    const [first, ...rest] = someCases();
    writeCases(join(dir, 'cases.jsonl'), [...rest, { ...first!, id: 'part-new' }]);
    expect(messages()).toEqual([
      expect.stringContaining('part-new was added'),
      expect.stringContaining('part-0 was removed'),
    ]);
    expect(check().exit).toBe(3);
  });
  test('a remark that changes is no change', async () => {
    await project();
    writeCases(
      join(dir, 'cases.jsonl'),
      someCases().map((item) => ({ ...item, note: 'looked at again' })),
    );
    expect(check().exit).toBe(0);
  });
});

describe('records that were touched: exit 3', () => {
  test('an answer', async () => {
    await project();
    edit(RUN_FILES.answers, 'The timeout of f0 is 30 seconds', 'The timeout of f0 is 31 seconds');
    expect(messages().join('\n')).toContain('answers.jsonl:1: the record was changed after it was written');
    expect(check().exit).toBe(3);
    expect(check().findings[0]!.file).toMatch(/baseline\/answers\.jsonl$/);
  });
  test('a verdict turned', async () => {
    await project();
    edit(RUN_FILES.verdicts, '"supported":true', '"supported":false');
    expect(messages().join('\n')).toMatch(/verdicts\.jsonl:1: the record was changed/);
    expect(check().exit).toBe(3);
  });
  test('a record deleted', async () => {
    await project();
    const path = join(dir, 'baseline', RUN_FILES.answers);
    writeFileSync(path, readFileSync(path, 'utf8').split('\n').slice(1).join('\n'));
    expect(messages().join('\n')).toContain('case part-0, run 1: has no answer');
    expect(check().exit).toBe(3);
  });
  test('summary.json is never believed', async () => {
    await project();
    const before = formatCheck(check(), 'json');
    writeFileSync(join(dir, 'baseline', RUN_FILES.summary), '{"metrics":[{"name":"faithfulness","value":0}]}');
    expect(formatCheck(check(), 'json')).toBe(before);
  });
});

describe('floors, one broken example for each metric: exit 1', () => {
  const wrong: [string, (item: Case) => Said][] = [
    ['context_recall', (item) => ({ ...sayRight(item), shown: item.files.map(() => 'other1.md') })],
    [
      'key_fact_recall',
      (item) => ({ ...sayRight(item), text: sayRight(item).text.replace(/\d+ seconds/g, 'a while') }),
    ],
    [
      'right_decision',
      (item) => (/^part-[0-2]$/.test(item.id) ? { text: 'No.', refused: true, shown: [] } : sayRight(item)),
    ],
    ['faithfulness', (item) => ({ ...sayRight(item), text: sayRight(item).text.replace(/\d+ seconds/g, '999 hours') })],
    ['citation_out_of_range', (item) => ({ ...sayRight(item), text: sayRight(item).text.replace(/\[\d\]/g, '[9]') })],
    ['wrong_answer', (item) => (item.files.length ? sayRight(item) : { text: 'It is blue [1].', shown: ['f1.md'] })],
  ];
  test.each(wrong)('%s', async (metric, say) => {
    await project({ say: (item) => say(item) });
    const result = check();
    expect(result.exit).toBe(1);
    const found = result.findings.find(({ message }) => message.includes(`: ${metric} (overall) is`))!;
    expect(found.message).toMatch(/(below|above) its floor of/);
    expect(found.cases!.length).toBeGreaterThan(0);
    expect(verdictLine(result)).toMatch(/^FAILED: \d of 6 floors missed\.$/);
  });
});

test('a metric that no answer has a score in misses its floor', async () => {
  await project({
    say: () => ({ text: 'No.', refused: true, shown: [] }),
    gate: { baselines: [{ run: 'baseline', floors: [FLOORS[3]!] }] },
  });
  const result = check();
  expect(result.findings).toEqual([
    expect.objectContaining({
      kind: 'floor',
      message: expect.stringContaining('faithfulness (overall) has no score in any case'),
    }),
  ]);
  expect(result.exit).toBe(1);
  expect(formatCheck(result, 'text')).toMatch(/MISS faithfulness\s+- \[-, -\]/);
});

describe('floors that cannot be checked: exit 3', () => {
  test('on fewer than ten cases', async () => {
    await project({
      gate: {
        baselines: [
          { run: 'baseline', floors: [{ metric: 'context_recall', slice: 'kind:multi_source', at_least: 0.5 }] },
        ],
      },
    });
    expect(messages()).toEqual([expect.stringContaining('has a floor but only 2 cases; a floor needs 10')]);
    expect(check().exit).toBe(3);
  });
  test('on a slice without cases', async () => {
    await project({
      gate: {
        baselines: [{ run: 'baseline', floors: [{ metric: 'faithfulness', slice: 'kind:off_topic', at_least: 0.5 }] }],
      },
    });
    expect(messages()).toEqual([expect.stringContaining('has a floor but no cases')]);
  });
  test('a run that is not there', async () => {
    await project({ gate: { baselines: [{ run: 'elsewhere', floors: [] }] } });
    expect(messages()).toEqual([expect.stringMatching(/elsewhere does not exist; run askdocs eval all/)]);
    expect(check().exit).toBe(3);
  });
});

test('what changed in prompt, judge or corpus is stale: exit 3', async () => {
  await project();
  const result = check(['the prompt changed']);
  expect(result.exit).toBe(3);
  expect(result.findings[0]!.message).toMatch(/baseline: the prompt changed$/);
  expect(verdictLine(result)).toMatch(/^STALE/);
});

test('grades of another judge, or of answers that are gone, are stale: exit 3', async () => {
  await project();
  const records = readRun(join(dir, 'baseline'));
  const judge = records.manifest.judges[0]!;
  const sample = drawSample(records, judge, 5, 'random', 'x');
  const path = join(dir, 'baseline', 'agreement-lexical.json');
  writeSample(path, sample);
  expect(check().exit).toBe(0);
  writeSample(path, { ...sample, judge: { ...sample.judge, fingerprint: 'f'.repeat(32) } });
  expect(messages()).toEqual([expect.stringContaining('was graded for another version of judge lexical')]);
  writeSample(path, { ...sample, items: sample.items.map((item) => ({ ...item, answer_hash: 'f'.repeat(32) })) });
  expect(messages()).toEqual([expect.stringContaining('5 of its claims are not among the answers any more')]);
  expect(check().exit).toBe(3);
});

describe('gate.json that is wrong is refused with the field', () => {
  test.each([
    [{ cases: 3 }, 'cases:'],
    [{ baselines: [] }, 'baselines: names no run to check'],
    [
      { baselines: [{ run: 'r', floors: [{ metric: 'beauty', at_least: 1 }] }] },
      'floors.0.metric: is not a metric of askdocs',
    ],
    [
      { baselines: [{ run: 'r', floors: [{ metric: 'wrong_answer', at_least: 1 }] }] },
      'wrong_answer is bounded by at_most alone',
    ],
    [{ margins: { context_recall: 0 } }, 'margins.context_recall'],
    [{ extra: true }, 'extra'],
  ])('%j', (change, message) => {
    const path = writeGate(change as unknown as Partial<GateConfig>);
    expect(() => loadGate(path)).toThrow(message);
  });
  test('missing, or no JSON', () => {
    expect(() => loadGate(join(dir, 'none.json'))).toThrow('does not exist; name the gate file with --gate');
    writeFileSync(join(dir, 'gate.json'), '{');
    expect(() => loadGate(join(dir, 'gate.json'))).toThrow('is not valid JSON');
  });
});

test('every format says the verdict; text names metric, value and floor', async () => {
  await project({ say: (item) => ({ ...sayRight(item), shown: [] }) });
  for (const format of CHECK_FORMATS) expect(formatCheck(check(), format)).toContain('context_recall');
  expect(formatCheck(check(), 'text')).toMatch(/MISS context_recall\s+0\.000 \[0\.000, 0\.\d{3}\]\s+>= 0\.9/);
  expect(formatCheck(check(), 'markdown')).toMatch(/^\*\*FAILED/);
  const annotated = formatCheck(check(), 'github')
    .split('\n')
    .filter((line) => line.startsWith('::error'));
  expect(annotated.some((line) => /cases\.jsonl,line=1,title=gate%3A floor::part-0: /.test(line))).toBe(true);
});
