/**
 * `gate noise`: how much runs of the same code differ. Per metric the largest gap between any two run means, tau2 and the variance within
 * a case; per case how often two runs disagree; and what of it is the judge's: the same answer judged twice, in two folders.
 */
import { METRICS, metricInfo } from '../metrics/catalog.ts';
import { verdictsOf } from '../run.ts';
import { pooledTau2, runVariance } from '../stats/run-variance.ts';
import { mean } from '../stats/variance.ts';
import { caseMean } from '../summary.ts';
import type { GateConfig, Noise } from './config.ts';
import type { Finding } from './finding.ts';
import { allCopies, loadSide, mismatches, type Side } from './sides.ts';

export interface MetricNoise extends Noise {
  metric: string;
  title: string;
  /** Mean of each run, over its cases. */
  means: number[];
  /** Cases on which runs disagree, most often first: the share of pairs of runs with different scores. */
  flips: { id: string; rate: number }[];
}

export interface JudgeNoise {
  /** Pairs of verdicts on the same sentence of the same answer and passage, from different folders. */
  pairs: number;
  /** Share of them that disagree. */
  flipRate: number;
  /** Variance of a case's faithfulness that the judge alone makes; to be held against `within` of faithfulness. */
  variance: number;
}

export interface NoiseResult {
  runs: number;
  metrics: MetricNoise[];
  /** Null when no answer was judged twice. */
  judge: JudgeNoise | null;
  /** The same answers word for word in all runs: there is nothing to differ. */
  copies: boolean;
  findings: Finding[];
}

export function measureNoise(dirs: readonly string[]): NoiseResult {
  const { side, findings } = loadSide(dirs);
  const unlike = mismatches(side, side).map(({ message }) => ({ kind: 'invalid' as const, message }));
  const few =
    side.repetitions < 2
      ? [{ kind: 'invalid' as const, message: `noise needs two runs of the same code, there is ${side.repetitions}` }]
      : [];
  const all = [...findings, ...unlike, ...few];
  if (all.length > 0) return { runs: side.repetitions, metrics: [], judge: null, copies: false, findings: all };
  const metrics = METRICS.filter(({ about, name }) => about !== 'retrieval' && side.scores.has(name));
  return {
    runs: side.repetitions,
    metrics: metrics.flatMap(({ name }) => noiseOf(name, side)),
    judge: judgeNoise(side),
    copies: allCopies(side),
    findings: [],
  };
}

/** What gate.json keeps. */
export function recordedNoise({ metrics }: NoiseResult): GateConfig['noise'] {
  const round = (x: number) => Number(x.toPrecision(6));
  return Object.fromEntries(
    metrics.map(({ metric, gap, tau2, within, runs }) => [
      metric,
      { gap: round(gap), tau2: round(tau2), within: round(within), runs },
    ]),
  );
}

function noiseOf(metric: string, side: Side): MetricNoise[] {
  const scored = [...(side.scores.get(metric) ?? [])].filter(([, runs]) => caseMean(runs) !== null);
  if (scored.length === 0) return [];
  const rows = scored.map(([, runs]) => runs);
  const variance = runVariance(rows);
  const means = Array.from({ length: side.repetitions }, (_, j) => caseMean(rows.map((runs) => runs[j] ?? null)) ?? 0);
  return [
    {
      metric,
      title: metricInfo(metric)?.title ?? metric,
      gap: Math.max(...means) - Math.min(...means),
      tau2: pooledTau2([variance]).tau2,
      within: variance.within,
      runs: side.repetitions,
      means,
      flips: flipRates(scored),
    },
  ];
}

function flipRates(scored: readonly [string, readonly (number | null)[]][]): MetricNoise['flips'] {
  return scored
    .map(([id, runs]) => ({ id, rate: disagreement(runs.filter((x) => x !== null)) }))
    .filter(({ rate }) => rate > 0)
    .sort((a, b) => b.rate - a.rate);
}

function disagreement(scores: readonly number[]): number {
  let pairs = 0;
  let different = 0;
  scores.forEach((a, i) => {
    for (const b of scores.slice(i + 1)) {
      pairs += 1;
      if (a !== b) different += 1;
    }
  });
  return pairs === 0 ? 0 : different / pairs;
}

/** By folder and answer: one folder takes rulings over within itself, so only different folders judged twice. */
function judgeNoise(side: Side): JudgeNoise | null {
  const answers = new Map<string, Map<string, boolean>[]>();
  for (const { manifest, answers: records, verdicts } of side.folders) {
    const judge = manifest.judges[0];
    if (judge === undefined) continue;
    const ofFolder = new Map<string, Map<string, boolean>>();
    for (const { supported, ...verdict } of verdictsOf({ answers: records, verdicts }, judge.fingerprint)) {
      if (supported === null) continue;
      const said = ofFolder.get(verdict.answer_hash) ?? new Map<string, boolean>();
      ofFolder.set(verdict.answer_hash, said.set(`${verdict.sentence}:${verdict.citation}`, supported));
    }
    for (const [hash, said] of ofFolder) answers.set(hash, [...(answers.get(hash) ?? []), said]);
  }
  return compareVerdicts([...answers.values()].filter((folders) => folders.length > 1));
}

function compareVerdicts(judgedTwice: readonly Map<string, boolean>[][]): JudgeNoise | null {
  let pairs = 0;
  let flips = 0;
  const variances: number[] = [];
  for (const folders of judgedTwice) {
    const shares = folders.map((said) => mean([...said.values()].map(Number)));
    variances.push(mean(shares.map((x) => (x - mean(shares)) ** 2)) * (shares.length / (shares.length - 1)));
    folders.forEach((said, i) => {
      for (const other of folders.slice(i + 1)) {
        for (const [key, verdict] of said) {
          const second = other.get(key);
          if (second === undefined) continue;
          pairs += 1;
          if (second !== verdict) flips += 1;
        }
      }
    });
  }
  return pairs === 0 ? null : { pairs, flipRate: flips / pairs, variance: mean(variances) };
}
