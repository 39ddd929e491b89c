import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type AgreementSample,
  agreementPath,
  drawSample,
  readSample,
  staleAgreements,
  writeSample,
} from './agreement.ts';
import { scoreAgreement } from './agreement-score.ts';
import { judgeRun } from './judge.ts';
import { LEXICAL_SETTINGS, lexicalJudge } from './judges/lexical.ts';
import { labelSample } from './label-sample.ts';
import { readRun } from './run.ts';
import { say } from './testing/fake-service.ts';
import { A, answeredRun, B, makeCase } from './testing/fixtures.ts';
import { verifyRun } from './verify.ts';

/** Twenty answers with a claim the judge supports and one it does not, and an uncited one. */
async function judgedRun() {
  const cases = Array.from({ length: 20 }, (_, index) => makeCase({ id: `c${index}` }));
  const dir = await answeredRun(
    () => say('Alpha is 5 [1]. Delta rises over the hills [2]. Nobody is cited.', [A, B]),
    cases,
  );
  await judgeRun({ dir, judge: lexicalJudge(), signal: new AbortController().signal });
  const records = readRun(dir);
  return { dir, records, judge: records.manifest.judges[0]! };
}

const grade = (sample: AgreementSample, label: (claim: string) => boolean): AgreementSample => ({
  ...sample,
  reference_by: 'a person',
  items: sample.items.map((item) => ({ ...item, label: label(item.claim) ? 'faithful' : 'unfaithful' })),
});

test('a sample hides the answers of the judge, leaves uncited claims out and is the same for the same seed', async () => {
  const { records, judge } = await judgedRun();
  const sample = drawSample(records, judge, 10, 'random', 's');
  expect(sample.items).toHaveLength(10);
  expect(JSON.stringify(sample.items)).not.toMatch(/supported|score/);
  expect(sample.items.some((item) => item.claim.includes('Nobody'))).toBe(false);
  expect(drawSample(records, judge, 10, 'random', 's')).toEqual(sample);
  expect(drawSample(records, judge, 10, 'random', 't')).not.toEqual(sample);
  expect(sample.strata).toEqual({ supported: 20, unsupported: 20 });
});

test('drawn by verdict, half of the claims are supported by the judge', async () => {
  const { records, judge } = await judgedRun();
  const { items } = drawSample(records, judge, 10, 'stratified', 's');
  expect(items.filter((item) => item.claim.startsWith('Alpha'))).toHaveLength(5);
  expect(drawSample(records, judge, 100, 'stratified', 's').items).toHaveLength(40);
});

test('a judge that agrees with the person scores 1, one that never does scores below 0', async () => {
  const { records, judge } = await judgedRun();
  const sample = drawSample(records, judge, 20, 'random', 's');
  const same = scoreAgreement(
    records,
    judge,
    grade(sample, (claim) => claim.startsWith('Alpha')),
  );
  expect(same).toMatchObject({
    graded: 20,
    reference_by: 'a person',
    agreement: { value: 1 },
    kappa: { kappa: 1 },
    ac1: { value: 1 },
  });
  expect(same?.corrected?.theta).toBeCloseTo(0.5, 10);
  const never = scoreAgreement(
    records,
    judge,
    grade(sample, (claim) => !claim.startsWith('Alpha')),
  );
  expect(never?.agreement.value).toBe(0);
  expect(never?.kappa?.kappa).toBeLessThan(0);
  expect(never?.corrected, 'worse than a coin cannot be corrected').toBeNull();
});

test('a stratified sample is corrected by stratum', async () => {
  const { records, judge } = await judgedRun();
  const sample = drawSample(records, judge, 20, 'stratified', 's');
  const alphas = sample.items.filter((item) => item.claim.startsWith('Alpha')).map((item) => item.case_id);
  const right = new Set(alphas.slice(0, 5));
  const graded = {
    ...sample,
    items: sample.items.map((item) => ({
      ...item,
      label:
        item.claim.startsWith('Alpha') && right.has(item.case_id) ? ('faithful' as const) : ('unfaithful' as const),
    })),
  };
  const score = scoreAgreement(records, judge, graded);
  // Half of the yes verdicts are right, all of the no: .5 * .5 + .5 * 0.
  expect(score?.corrected).toMatchObject({ theta: 0.25, method: 'by stratum of the verdict' });
});

test('nothing graded has no score', async () => {
  const { records, judge } = await judgedRun();
  expect(scoreAgreement(records, judge, drawSample(records, judge, 5, 'random', 's'))).toBeNull();
});

test('grades are stale once the judge is another, and verifying the run says so', async () => {
  const { dir, records, judge } = await judgedRun();
  writeSample(agreementPath(dir, 'lexical'), drawSample(records, judge, 5, 'random', 's'));
  expect(verifyRun(dir)).toEqual([]);
  await judgeRun({
    dir,
    judge: lexicalJudge({ ...LEXICAL_SETTINGS, threshold: 0.9 }),
    signal: new AbortController().signal,
  });
  expect(staleAgreements(dir).join()).toContain('another version of judge lexical');
  expect(verifyRun(dir)).toEqual(staleAgreements(dir));
});

test('grades of claims that are gone are stale', async () => {
  const { dir, records, judge } = await judgedRun();
  writeSample(agreementPath(dir, 'lexical'), drawSample(records, judge, 5, 'random', 's'));
  const path = join(dir, 'agreement-lexical.json');
  writeFileSync(path, readFileSync(path, 'utf8').replace(/"answer_hash": "[0-9a-f]{4}/, '"answer_hash": "0000'));
  expect(staleAgreements(dir).join()).toContain('1 of its claims are not among the answers any more');
});

test('labelling keeps each grade at once, can be left, resumed and taken back', async () => {
  const { dir, records, judge } = await judgedRun();
  const path = agreementPath(dir, 'lexical');
  writeSample(path, { ...drawSample(records, judge, 3, 'random', 's'), reference_by: 'me' });
  const session = (typed: (string | null)[]) => {
    const shown: string[] = [];
    const left = labelSample({
      sample: readSample(path),
      ask: async () => typed.shift() ?? null,
      show: (text) => shown.push(text),
      save: (sample) => writeSample(path, sample),
    });
    return left.then((count) => ({ count, shown: shown.join('\n') }));
  };
  const first = await session(['y', '?', 'q']);
  expect(first.count).toBe(2);
  expect(first.shown).toContain('(1 of 3)');
  expect(readSample(path).items.map((item) => item.label)).toEqual(['faithful', null, null]);
  const second = await session(['b', 'n another option is meant', 'n', null]);
  expect(second.count).toBe(1);
  expect(readSample(path).items.map((item) => item.label)).toEqual(['unfaithful', 'unfaithful', null]);
  expect(readSample(path).items.map((item) => item.remark)).toEqual(['another option is meant', undefined, undefined]);
  expect((await session(['y'])).count).toBe(0);
});
