/** The numbers of an agreement: judge against person, claim by claim, and what faithfulness is once the judge's errors are taken out. */
import { type AgreementItem, type AgreementSample, judgedClaims } from './agreement.ts';
import { answerKey, type RunRecords } from './run.ts';
import type { JudgeInfo } from './schema.ts';
import { gwetAc1 } from './stats/ac1.ts';
import { type CorrectedRate, correctedRate, correctedRateByStratum } from './stats/corrected-rate.ts';
import { cohensKappa, type Kappa, type Table2x2 } from './stats/kappa.ts';
import { quantileSorted } from './stats/quantile.ts';
import { createRandom } from './stats/random.ts';
import { predictiveValues, type Rate, sensitivitySpecificity } from './stats/sensitivity.ts';
import { wilson } from './stats/wilson.ts';

export interface AgreementScore {
  judge: string;
  kind: AgreementSample['kind'];
  reference_by: string | null;
  graded: number;
  unsupported: number;
  /** Rows: the judge says yes, no. Columns: the person says yes, no. */
  table: Table2x2;
  agreement: { value: number; low: number; high: number };
  kappa: Kappa | null;
  ac1: { value: number; low: number; high: number } | null;
  sensitivity: Rate;
  specificity: Rate;
  ppv: Rate;
  npv: Rate;
  /** Share of the run's cited claims that the judge supports, and the same corrected for its errors. */
  raw: { value: number; n: number };
  corrected: CorrectedRate | null;
}

/** Null when nothing is graded yet. */
export function scoreAgreement(records: RunRecords, judge: JudgeInfo, sample: AgreementSample): AgreementScore | null {
  const claims = judgedClaims(records, judge).filter((claim) => claim.status !== 'unjudged');
  const said = new Map(claims.map(({ item, status }) => [keyOf(item), status === 'supported']));
  const pairs = sample.items.flatMap((item) => {
    const judged = said.get(keyOf(item));
    return item.label === null || judged === undefined
      ? []
      : [{ cluster: item.case_id, judged, person: item.label === 'faithful' }];
  });
  if (pairs.length === 0) return null;
  const table = tableOf(pairs);
  const agree = table[0][0] + table[1][1];
  const raw = {
    value: claims.filter((claim) => claim.status === 'supported').length / claims.length,
    n: claims.length,
  };
  return {
    judge: judge.name,
    kind: sample.kind,
    reference_by: sample.reference_by,
    graded: pairs.length,
    unsupported: table[0][1] + table[1][1],
    table,
    agreement: { value: agree / pairs.length, ...bounds(wilson(agree, pairs.length)) },
    kappa: cohensKappa(table),
    ac1: ac1Of(pairs, sample.seed),
    ...sensitivitySpecificity(table),
    ...predictiveValues(table),
    raw,
    corrected: correct(table, raw, sample.kind),
  };
}

type Graded = { cluster: string; judged: boolean; person: boolean };

/** A random sample tells sensitivity and specificity; one drawn by verdict tells only how often a yes and a no are right. */
function correct(
  table: Table2x2,
  raw: { value: number; n: number },
  kind: AgreementSample['kind'],
): CorrectedRate | null {
  const [[a, b], [c, d]] = table;
  const { value: p, n } = raw;
  if (kind === 'stratified') {
    return correctedRateByStratum({ p, n, confirmedYes: a, gradedYes: a + b, confirmedNo: d, gradedNo: c + d });
  }
  if (a + c === 0 || b + d === 0) return null;
  return correctedRate({ p, n, q0: d / (b + d), m0: b + d, q1: a / (a + c), m1: a + c });
}

/** AC1 with a percentile interval over whole cases: sentences of one answer are not independent. */
function ac1Of(pairs: readonly Graded[], seed: string): AgreementScore['ac1'] {
  const value = gwetAc1(tableOf(pairs));
  if (value === null) return null;
  const clusters = [...new Set(pairs.map((pair) => pair.cluster))].map((name) =>
    pairs.filter((pair) => pair.cluster === name),
  );
  const random = createRandom(seed);
  const draws = Float64Array.from({ length: 2000 }, () => {
    const drawn = clusters.flatMap(() => clusters[Math.floor(random() * clusters.length)] ?? []);
    return gwetAc1(tableOf(drawn)) ?? 1;
  }).sort();
  return { value, low: quantileSorted(draws, 0.025), high: quantileSorted(draws, 0.975) };
}

function tableOf(pairs: readonly Graded[]): Table2x2 {
  const count = (judged: boolean, person: boolean) =>
    pairs.filter((pair) => pair.judged === judged && pair.person === person).length;
  return [
    [count(true, true), count(true, false)],
    [count(false, true), count(false, false)],
  ];
}

function keyOf(item: AgreementItem): string {
  return `${answerKey(item)}:${item.answer_hash}:${item.sentence}`;
}

function bounds({ low, high }: { low: number; high: number }): { low: number; high: number } {
  return { low, high };
}
