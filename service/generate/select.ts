/** Chooses the pieces of an extractive answer. Pure; the weights were chosen on the dev split of the demo cases. */
import type { Source } from '../contract.ts';
import { contentWords } from '../words.ts';
import { type Unit, unitsOf } from './units.ts';

/** What the choice weighs. */
export interface Weights {
  /** Most characters of an answer: what a reader takes in before the sources do better. */
  chars: number;
  /** Longest single piece; a longer one is a listing, not an answer. */
  unitChars: number;
  /** What a word of the question counts that stands in the headings, and not in the piece. */
  above: number;
  /** What a piece takes over from the piece before and behind it: the answer often stands beside the words. */
  near: number;
  /** How fast later passages lose weight: 1 / (1 + rank * place). */
  rank: number;
  /** What every piece of a passage counts by its place alone, as a share of the question's weight. */
  base: number;
  /** Pieces below this share of the best one are left out. */
  ofBest: number;
}

export const WEIGHTS: Weights = {
  chars: 2200,
  unitChars: 700,
  above: 0.5,
  near: 0.8,
  rank: 0.1,
  base: 0.2,
  ofBest: 0.45,
};

/** Least share of the question's weight that the best piece must cover, headings included, */
const MIN_COVERAGE = 0.12;
/** unless the embedder finds a passage this close: other words, or another language, for the same thing. */
const MIN_COSINE = 0.4;

/** The chosen pieces, grouped by passage in the order of rank, in the order of the text; none: nothing fits. */
export function chooseUnits(question: string, sources: readonly Source[], weights: Weights = WEIGHTS): Unit[] {
  const stems = [...new Set(contentWords(question).map((word) => word.stem))];
  const used = sources.filter((source) => source.used);
  const bySource = used.map((source) => unitsOf(source));
  const all = bySource.flat();
  if (all.length === 0) return [];
  const idf = weigh(stems, all);
  const total = [...idf.values()].reduce((sum, weight) => sum + weight, 0) || 1;
  const shares = bySource.map((units) => units.map((unit) => share(unit, idf, weights) / total));
  const close = Math.max(...used.map((source) => source.cosine ?? 0)) >= MIN_COSINE;
  if (Math.max(...shares.flat()) < MIN_COVERAGE && !close) return [];
  const scored = bySource.flatMap((units, rank) => scoreAll(units, shares[rank] ?? [], rank, weights));
  return withLeads(fill(scored, weights), bySource).sort((a, b) => a.n - b.n || a.index - b.index);
}

/** Rare words weigh more: ln(1 + N / (df + 1/2)), over the pieces with their headings. */
function weigh(stems: readonly string[], units: readonly Unit[]): Map<string, number> {
  return new Map(
    stems.map((stem) => {
      const holding = units.filter((unit) => unit.own.has(stem) || unit.above.has(stem)).length;
      return [stem, Math.log(1 + units.length / (holding + 0.5))];
    }),
  );
}

function share(unit: Unit, idf: ReadonlyMap<string, number>, { above }: Weights): number {
  let sum = 0;
  for (const [stem, weight] of idf) {
    if (unit.own.has(stem)) sum += weight;
    else if (unit.above.has(stem)) sum += weight * above;
  }
  return sum;
}

function scoreAll(units: readonly Unit[], shares: readonly number[], rank: number, weights: Weights) {
  const prior = 1 / (1 + weights.rank * rank);
  return units.map((unit, i) => {
    const beside = Math.max(
      shares[i - 1] ?? 0,
      shares[i + 1] ?? 0,
      unit.lead === undefined ? 0 : (shares[unit.lead] ?? 0),
    );
    const own = shares[i] ?? 0;
    return {
      unit,
      score: (own + weights.near * Math.max(0, beside - own / 2) + weights.base) * prior * kindWeight(unit),
    };
  });
}

function kindWeight(unit: Unit): number {
  if (unit.kind === 'code') return 0.6;
  return /^(?:see|read|check)\b/i.test(unit.text) || unit.own.size < 2 ? 0.6 : 1;
}

/** The best pieces, as long as they are good enough and there is room. */
function fill(scored: readonly { unit: Unit; score: number }[], weights: Weights): Unit[] {
  const eligible = scored.filter(({ unit }) => unit.text.length <= weights.unitChars && unit.kind !== 'lead');
  const ranked = eligible.toSorted((a, b) => b.score - a.score || a.unit.n - b.unit.n || a.unit.index - b.unit.index);
  const best = ranked[0]?.score ?? 0;
  const chosen: Unit[] = [];
  const texts = new Set<string>();
  let chars = 0;
  for (const { unit, score } of ranked) {
    if (score < best * weights.ofBest) break;
    if (texts.has(unit.text) || chars + unit.text.length > weights.chars) continue;
    chosen.push(unit);
    texts.add(unit.text);
    chars += unit.text.length;
  }
  return chosen;
}

/** Items without the sentence that introduces them are riddles. */
function withLeads(chosen: readonly Unit[], bySource: readonly Unit[][]): Unit[] {
  const all = bySource.flat();
  const leads = chosen.flatMap((unit) => all.find((other) => other.n === unit.n && other.index === unit.lead) ?? []);
  return [...new Set([...chosen, ...leads])];
}
