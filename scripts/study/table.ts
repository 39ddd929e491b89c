/** Scores of each variant of a study, and its table: on one set with more measures, on several with their mean. */
import { styleText } from 'node:util';
import { reciprocalRank } from '../../harness/metrics/mrr.ts';
import { ndcgAt } from '../../harness/metrics/ndcg.ts';
import { recallAt } from '../../harness/metrics/recall.ts';
import { meanInterval } from '../../harness/stats/mean-interval.ts';
import { quantileSorted } from '../../harness/stats/quantile.ts';
import { createRandom, DEFAULT_SEED } from '../../harness/stats/random.ts';
import type { Scored } from '../../service/search/lexical.ts';
import type { StudySet } from './sets.ts';

export interface Variant {
  name: string;
  /** Sources, best first: by set, then by question. */
  ranked: string[][][];
}

export interface Measured {
  name: string;
  sets: { ndcg: number; low: number; high: number; recall5: number; mrr: number }[];
  /** Mean nDCG@10 over the sets. */
  mean: number;
  /** Against the first variant, over the same questions: mean over the sets, 95%. */
  difference: { mean: number; low: number; high: number };
}

const RESAMPLES = 10_000;

/** A document stands where its best passage does. */
export function sourcesOf(set: StudySet): (found: readonly Pick<Scored, 'id'>[]) => string[] {
  const sources = new Map(set.passages.map(({ id, source }) => [id, source]));
  return (found) => [...new Set(found.map(({ id }) => sources.get(id) ?? ''))];
}

export function measure(sets: readonly StudySet[], variants: readonly Variant[]): Measured[] {
  const scored = variants.map(({ ranked }) => sets.map((set, at) => ndcgOf(set, ranked[at] ?? [])));
  return variants.map(({ name, ranked }, which) => {
    const own = scored[which] ?? [];
    const means = own.map(average);
    return {
      name,
      mean: average(means),
      difference: differenceOf(scored[0] ?? [], own),
      sets: sets.map((set, at) => {
        const { low, high } = meanInterval(own[at] ?? [], { resamples: 2000 });
        return { ndcg: means[at] ?? 0, low, high, ...others(set, ranked[at] ?? []) };
      }),
    };
  });
}

export function printTable(title: string, sets: readonly StudySet[], rows: readonly Measured[]): void {
  console.log(styleText('bold', title));
  const [only] = sets;
  if (sets.length === 1 && only !== undefined) {
    console.log(
      `| ${only.name}, ${only.questions.length} questions | nDCG@10 (95%) | recall@5 | MRR@10 | against the first |`,
    );
    console.log('|---|---|---|---|---|');
    for (const { name, sets: own, difference } of rows)
      for (const { ndcg, low, high, recall5, mrr } of own)
        console.log(
          `| ${name} | ${digits(ndcg)} (${digits(low)} to ${digits(high)}) | ${digits(recall5)} | ${digits(mrr)} | ${signed(difference)} |`,
        );
    return;
  }
  console.log(
    `| nDCG@10 | ${sets.map(({ name, questions }) => `${name} (${questions.length})`).join(' | ')} | mean | against the first (95%) |`,
  );
  console.log(`|---|${sets.map(() => '---|').join('')}---|---|`);
  for (const { name, sets: own, mean, difference } of rows)
    console.log(
      `| ${name} | ${own.map(({ ndcg }) => digits(ndcg)).join(' | ')} | ${digits(mean)} | ${signed(difference)} |`,
    );
}

function ndcgOf({ questions }: StudySet, ranked: readonly string[][]): number[] {
  return questions.map(({ gains }, at) => ndcgAt(10, ranked[at] ?? [], gains) ?? 0);
}

function others({ questions }: StudySet, ranked: readonly string[][]) {
  const relevant = (gains: Map<string, number>) => new Set(gains.keys());
  return {
    recall5: average(questions.map(({ gains }, at) => recallAt(5, ranked[at] ?? [], relevant(gains)) ?? 0)),
    mrr: average(questions.map(({ gains }, at) => reciprocalRank(10, ranked[at] ?? [], relevant(gains)) ?? 0)),
  };
}

/** Questions are drawn within each set, so that a large set does not speak for the small ones. */
function differenceOf(base: readonly number[][], own: readonly number[][]): Measured['difference'] {
  const sets = own.map((scores, at) => scores.map((score, i) => score - (base[at]?.[i] ?? 0)));
  const random = createRandom(DEFAULT_SEED);
  const draw = (list: readonly number[]) => {
    let sum = 0;
    for (let i = 0; i < list.length; i++) sum += list[Math.floor(random() * list.length)] ?? 0;
    return sum / list.length;
  };
  const means = Float64Array.from({ length: RESAMPLES }, () => average(sets.map(draw))).sort();
  return { mean: average(sets.map(average)), low: quantileSorted(means, 0.025), high: quantileSorted(means, 0.975) };
}

function average(list: readonly number[]): number {
  return list.length === 0 ? 0 : list.reduce((sum, value) => sum + value, 0) / list.length;
}

function digits(value: number): string {
  return value.toFixed(3).replace(/^(-?)0\./, '$1.');
}

function signed({ mean, low, high }: Measured['difference']): string {
  const sign = (value: number) => `${value >= 0 ? '+' : ''}${digits(value)}`;
  return low === 0 && high === 0 ? '' : `${sign(mean)} (${sign(low)} to ${sign(high)})`;
}
