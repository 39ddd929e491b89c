/**
 * `npx tsx scripts/fit-judge.ts`: what each feature of the lexical judge is worth, from the dev pairs of `cases/judge-pairs.jsonl`; writes
 * `harness/judges/lexical-weights.ts`. Logistic regression with an L2 penalty, both labels of equal weight, by projected gradient descent
 * from zero: deterministic. No feature may count against its meaning, and what contradicts counts at least as much as LEAST says: on few
 * pairs a conflict is rare, and its worth would be left to chance.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Pair, pairSchema } from '../harness/grade.ts';
import { parseJsonl, readText } from '../harness/jsonl.ts';
import { countFeatures, FEATURES, type Feature } from '../harness/judges/features.ts';
import { LEXICAL_SETTINGS } from '../harness/judges/lexical.ts';
import { passageOf } from '../harness/judges/match.ts';

const PAIRS = 'cases/judge-pairs.jsonl';
const PENALTY = 0.02;
const STEPS = 20_000;
const RATE = 0.5;
/** Pairs of this group are like the sentences of real answers, the others are mostly written to mislead. */
const TYPICAL = { group: 'answer', weight: 2 };
const SUPPORTS = new Set<Feature>(['window', 'passage', 'subsequence', 'run']);
const LEAST: Partial<Record<Feature, number>> = {
  names: -0.6,
  numbers: -1.5,
  replaced: -2.25,
  kinds: -1.5,
  opposites: -1.5,
  strong: -1.05,
  denial: -1.5,
};

interface Row {
  x: number[];
  /** 1 for faithful, -1 for unfaithful. */
  y: number;
  weight: number;
}

const pairs = parseJsonl(readText(PAIRS, 'the pairs'), pairSchema, PAIRS).map((line) => line.value);
const rows = balance(pairs.filter((pair) => pair.split === 'dev').flatMap(toRow));
const { weights, bias } = regress(rows);
const lines = FEATURES.map((feature, at) => `  ${feature}: ${round(weights[at] ?? 0)},`);
const target = fileURLToPath(new URL('../harness/judges/lexical-weights.ts', import.meta.url));
writeFileSync(
  target,
  `/** Written by scripts/fit-judge.ts from the dev pairs of ${PAIRS} (${rows.length} pairs); do not edit. */\nexport const LEXICAL_WEIGHTS = {\n  bias: ${round(bias)},\n${lines.join('\n')}\n} as const;\n`,
);
process.stdout.write(`${target}: bias ${round(bias)}\n${lines.join('\n')}\n`);

function toRow(pair: Pair): Row[] {
  const counted = countFeatures(pair.claim, passageOf(pair.context), LEXICAL_SETTINGS.window);
  if (counted === null || pair.label === undefined) return [];
  const x = FEATURES.map((feature) => counted.features[feature]);
  return [{ x, y: pair.label === 'faithful' ? 1 : -1, weight: pair.group === TYPICAL.group ? TYPICAL.weight : 1 }];
}

function balance(all: Row[]): Row[] {
  const total = (y: number) => all.filter((row) => row.y === y).reduce((sum, row) => sum + row.weight, 0);
  const totals = new Map([-1, 1].map((y) => [y, total(y)]));
  return all.map((row) => ({ ...row, weight: (0.5 * row.weight) / (totals.get(row.y) ?? 1) }));
}

/** On features scaled to equal spread, so that the penalty treats them alike; the weights are scaled back. */
function regress(all: readonly Row[]): { weights: number[]; bias: number } {
  const mean = FEATURES.map((_, at) => average(all.map((row) => row.x[at] ?? 0)));
  const spread = FEATURES.map(
    (_, at) => Math.sqrt(average(all.map((row) => ((row.x[at] ?? 0) - (mean[at] ?? 0)) ** 2))) + 1e-6,
  );
  const scaled = all.map((row) => ({
    ...row,
    x: row.x.map((value, at) => (value - (mean[at] ?? 0)) / (spread[at] ?? 1)),
  }));
  const weights = FEATURES.map(() => 0);
  let bias = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const slope = weights.map((weight) => 2 * PENALTY * weight);
    let slopeOfBias = 0;
    for (const { x, y, weight } of scaled) {
      const margin = y * (dot(x, weights) + bias);
      const pull = (-y * weight) / (1 + Math.exp(margin));
      slopeOfBias += pull;
      for (const [at, value] of x.entries()) slope[at] = (slope[at] ?? 0) + pull * value;
    }
    bias -= RATE * slopeOfBias;
    for (const [at, feature] of FEATURES.entries()) {
      const next = (weights[at] ?? 0) - RATE * (slope[at] ?? 0);
      weights[at] = SUPPORTS.has(feature)
        ? Math.max(0, next)
        : Math.min((LEAST[feature] ?? 0) * (spread[at] ?? 1), next);
    }
  }
  const back = weights.map((weight, at) => weight / (spread[at] ?? 1));
  return { weights: back, bias: bias - dot(back, mean) };
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
