import { describe, expect, test } from 'vitest';
import { METRICS } from '../metrics/catalog.ts';
import type { Case } from '../schema.ts';
import { COMPARE_FORMATS, formatCompare, verdictSentence } from './compare-text.ts';
import { comparing, metric } from './testing/comparing.ts';
import { type Said, sayRight, someCases } from './testing/run-folder.ts';

const { run, compare } = comparing();

/** Wrong in the first `count` answerable cases, in the repetitions that `when` picks. */
const wrongIn =
  (count: number, wrong: (item: Case) => Said, when: (run: number) => boolean = () => true) =>
  (item: Case, repetition: number) =>
    item.files.length > 0 && Number(item.id.split('-')[1]) < count && when(repetition) ? wrong(item) : sayRight(item);
const withoutFact = (item: Case): Said => ({
  ...sayRight(item),
  text: sayRight(item).text.replace(/\d+ seconds/g, 'a while'),
});
const refuse = (): Said => ({ text: 'No.', refused: true, shown: [] });

describe('each verdict with its exit code', () => {
  test('IDENTICAL, 0: a deterministic system run again', async () => {
    const result = compare([await run()], [await run()]);
    expect(result).toMatchObject({ verdict: 'IDENTICAL', exit: 0 });
    expect(verdictSentence(result)).toBe(
      'IDENTICAL: every pair is equal in context recall, key-fact recall, right to answer or refuse, faithfulness.',
    );
  });
  test('REGRESSION, 1: names the metric, the drop and the cases', async () => {
    const result = compare([await run()], [await run({ say: wrongIn(9, withoutFact) })]);
    expect(result).toMatchObject({ verdict: 'REGRESSION', exit: 1 });
    expect(verdictSentence(result)).toMatch(
      /^REGRESSION in key-fact recall.*: 1\.000 -> 0\.357 \(p = 0\.0\d+ adjusted, sign flip test\), 9 broke, 0 mended/,
    );
    expect(metric(result, 'key_fact_recall').flips).toMatchObject({ stableRight: 5, stableWrong: 0, mended: [] });
    expect(metric(result, 'key_fact_recall').flips.broke).toHaveLength(9);
    expect(metric(result, 'right_decision').judged?.verdict).toBe('IDENTICAL');
  });
  test('INCONCLUSIVE, 2: says what would settle it', async () => {
    const result = compare([await run({ runs: 2 })], [await run({ runs: 2, say: wrongIn(1, withoutFact) })]);
    expect(result).toMatchObject({ verdict: 'INCONCLUSIVE', exit: 2 });
    expect(verdictSentence(result)).toMatch(
      /^INCONCLUSIVE in key-fact recall: .*the margin is 0\.05; a drop of 0\.\d+ would have been found, \d+ cases would settle it\.$/,
    );
  });
  test('NON-INFERIOR, 0: a change within a wide margin', async () => {
    const margins = { right_decision: 0.3 };
    const result = compare(
      [await run({ runs: 3 })],
      [await run({ runs: 3, say: wrongIn(1, refuse, (r) => r === 1) })],
      { margins },
    );
    expect(result).toMatchObject({ verdict: 'NON-INFERIOR', exit: 0 });
    expect(verdictSentence(result)).toBe('NON-INFERIOR: no drop beyond the margin in right to answer or refuse.');
  });
  test('NON-INFERIOR, 0: an improvement is said', async () => {
    const margins = { key_fact_recall: 0.05 };
    const result = compare([await run({ say: wrongIn(9, withoutFact) })], [await run()], { margins });
    expect(verdictSentence(result)).toBe(
      'NON-INFERIOR: no drop beyond the margin in key-fact recall; better in key-fact recall.',
    );
    expect(metric(result, 'key_fact_recall').flips.mended).toHaveLength(9);
  });
  test('INVALID, 3: a gating metric without a pair', async () => {
    const result = compare([await run({ judge: false })], [await run({ judge: false })]);
    expect(result).toMatchObject({ verdict: 'INVALID', exit: 3 });
    expect(verdictSentence(result)).toBe('INVALID: faithfulness: no case has a score on both sides.');
  });
});

test('repetitions of one folder and of several folders are joined', async () => {
  const base = [await run({ runs: 2 }), await run()];
  // Each case is wrong in three of four runs, not all in the same ones: that would be a drift of runs, and prove nothing.
  const say = (item: Case, r: number) =>
    wrongIn(9, withoutFact, () => Number(item.id.split('-')[1]) % 4 !== r - 1)(item, r);
  const result = compare(base, [await run({ runs: 4, say })]);
  expect(result.base.repetitions).toBe(3);
  expect(metric(result, 'key_fact_recall').comparison).toMatchObject({ n: 14, runs: { base: 3, new: 4 }, test: 't' });
  expect(result.verdict).toBe('REGRESSION');
});

test('repetitions that are copies are said to be', async () => {
  const copies = await run({ runs: 2 });
  expect(compare([copies], [copies]).notes).toEqual(
    ['base', 'new'].flatMap((name) => [
      expect.stringContaining(`All runs of the ${name} side gave the same answers`),
      expect.stringContaining('in the order of the file'),
    ]),
  );
});

test('one case broken in every run has its exact second opinion', async () => {
  const result = compare([await run({ runs: 4 })], [await run({ runs: 4, say: wrongIn(1, refuse) })]);
  expect(metric(result, 'right_decision').permutation).toBeCloseTo(1 / 70, 9);
  expect(metric(result, 'right_decision').flips.broke).toEqual(['part-0']);
  expect(formatCompare(result, 'text')).toContain('second opinion, runs permuted within cases: p = 0.014');
});

test('a refusal has no faithfulness: an unpaired case, not a missing one', async () => {
  const result = compare([await run()], [await run({ say: wrongIn(1, refuse) })]);
  expect(metric(result, 'faithfulness').unpaired).toEqual([{ id: 'part-0', scored: 'base' }]);
  expect(metric(result, 'faithfulness').judged?.verdict).toBe('IDENTICAL');
});

test('one case only, and fewer than ten, never pass by chance', async () => {
  const one = someCases().slice(0, 1);
  const few = someCases().slice(0, 5);
  const margins = { key_fact_recall: 0.05 };
  const broken = (cases: Case[]) => ({ cases, say: (item: Case) => withoutFact(item) });
  expect(compare([await run({ cases: one })], [await run(broken(one))], { margins })).toMatchObject({
    verdict: 'INCONCLUSIVE',
    exit: 2,
  });
  const result = compare([await run({ cases: few })], [await run(broken(few))], { margins });
  expect(result.verdict).toBe('INCONCLUSIVE');
  expect(verdictSentence(result)).toContain('only 5 pairs; a metric gates from 10 pairs on');
});

test('the recorded noise is the second condition of single runs', async () => {
  const sides = [[await run()], [await run({ say: wrongIn(9, withoutFact) })]] as const;
  const margins = { key_fact_recall: 0.05 };
  const noise = { key_fact_recall: { gap: 0.7, tau2: 0, within: 0, runs: 4 } };
  expect(compare([...sides[0]], [...sides[1]], { margins }).verdict).toBe('REGRESSION');
  expect(compare([...sides[0]], [...sides[1]], { margins, noise })).toMatchObject({ verdict: 'INCONCLUSIVE' });
});

describe('a deliberately broken run for every metric is seen to be worse', () => {
  const text = (change: (text: string) => string) => (item: Case) => ({
    ...sayRight(item),
    text: change(sayRight(item).text),
  });
  const shown =
    (files: (item: Case) => string[]) =>
    (item: Case): Said => ({ ...sayRight(item), shown: files(item) });
  const elsewhere = shown((item) => item.files.map(() => 'other1.md'));
  const second = shown((item) => (item.files.length > 0 ? ['other1.md', ...item.files] : []));
  const answersAll = (item: Case): Said =>
    item.files.length > 0 ? sayRight(item) : { text: 'It is blue [1].', shown: ['f1.md'] };
  const misattributes = (item: Case): Said => ({
    text: sayRight(item).text.replace(/\[\d\]/g, '[1]'),
    shown: item.files.length > 0 ? ['other1.md', ...item.files] : [],
    refused: item.files.length === 0,
  });
  const broken: Record<string, (item: Case) => Said> = {
    'recall@1': elsewhere,
    'recall@3': elsewhere,
    'recall@5': elsewhere,
    'success@1': second,
    'success@5': elsewhere,
    'ndcg@10': second,
    'mrr@10': second,
    context_recall: elsewhere,
    key_fact_recall: withoutFact,
    extra_fact_recall: text((said) => said.replace(/timeout of/g, 'delay of')),
    service_error: (item) => ({ ...sayRight(item), error: true }),
    right_decision: answersAll,
    wrong_refusal: refuse,
    wrong_answer: answersAll,
    citation_out_of_range: text((said) => said.replace(/\[\d\]/g, '[9]')),
    citation_precision: misattributes,
    citation_recall: text((said) => said.replace(/\[\d\]/g, '')),
    misattribution: misattributes,
    citation_support: text((said) => said.replace(/\d+ seconds/g, '999 hours')),
    faithfulness: text((said) => said.replace(/\d+ seconds/g, '999 hours')),
  };
  test.each(METRICS.map(({ name }) => name))('%s', async (name) => {
    const result = compare([await run()], [await run({ say: broken[name]! })], { margins: { [name]: 0.05 } });
    const { comparison, judged } = metric(result, name);
    expect(comparison!.difference).toBeLessThan(0);
    expect(judged!.verdict).toBe('REGRESSION');
    expect(result.exit).toBe(1);
  });
});

test('runs of a whole side that drift apart prove nothing', async () => {
  const drifting = await run({ runs: 4, say: wrongIn(14, withoutFact, (r) => r < 3) });
  const result = compare([await run({ runs: 4 })], [drifting], { margins: { key_fact_recall: 0.05 } });
  expect(metric(result, 'key_fact_recall').comparison!.tau2).toBeGreaterThan(0.1);
  expect(result.verdict).toBe('INCONCLUSIVE');
});

test('a drop in a metric without a margin decides nothing, and is said', async () => {
  const result = compare([await run()], [await run({ say: wrongIn(9, withoutFact) })], {
    margins: { right_decision: 0.05 },
  });
  expect(result.exit).toBe(0);
  expect(result.notes).toContainEqual(
    expect.stringMatching(/^Not gated, but worse: key-fact recall, 1\.000 -> 0\.357/),
  );
});

test('every format leads with the verdict; github annotates the cases that broke', async () => {
  const result = compare([await run()], [await run({ say: wrongIn(9, withoutFact) })]);
  expect(COMPARE_FORMATS).toEqual(['text', 'json', 'markdown', 'github']);
  expect(formatCompare(result, 'text').startsWith('REGRESSION in')).toBe(true);
  expect(formatCompare(result, 'markdown')).toMatch(/^<!-- askdocs gate compare -->\n\n\*\*REGRESSION in/);
  expect(JSON.parse(formatCompare(result, 'json')).verdict).toBe('REGRESSION');
  const github = formatCompare(result, 'github', (id) => ({
    file: 'cases/demo.jsonl',
    line: Number(id.split('-')[1]) + 1,
  }));
  expect(github).toContain(
    '::error file=cases/demo.jsonl,line=3,title=gate%3A floor::case part-2 got worse in key-fact recall',
  );
});
