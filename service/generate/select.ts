/** Chooses the pieces of an extractive answer. Pure; the weights were chosen on the dev split of the demo cases. */
import type { Source } from '../contract.ts';
import { contentWords } from '../words.ts';
import { type Unit, unitsOf } from './units.ts';

/** Most pieces and characters of an answer: what a reader takes in before the sources do better. */
const MAX_UNITS = 8;
const MAX_CHARS = 1400;
/** Longest single piece; a longer one is a listing, not an answer. */
const MAX_UNIT_CHARS = 700;
/** What a word of the question counts that stands in the headings, or in the sentence before, and not in the piece. */
const ABOVE = 0.6;
const BESIDE = 0.35;
/** How fast later passages lose weight: 1 / (1 + RANK * place). */
const RANK = 0.35;
/** Share of a piece's score that counts even when its words were said before: neighbours of a hit explain it. */
const REPEATED = 0.45;
/** Least share of the question's weight that the best piece must cover, its surroundings included. */
const MIN_COVERAGE = 0.12;
/** Pieces that score below this share of the best one are left out. */
const MIN_OF_BEST = 0.3;

interface Scored {
  unit: Unit;
  /** Weight found per stem of the question. */
  found: Map<string, number>;
  score: number;
}

/** The chosen pieces, grouped by passage in the order of rank, in the order of the text; none: nothing fits. */
export function chooseUnits(question: string, sources: readonly Source[]): Unit[] {
  const stems = [...new Set(contentWords(question).map((word) => word.stem))];
  const bySource = sources.filter((source) => source.used).map((source) => unitsOf(source));
  const all = bySource.flat();
  if (stems.length === 0 || all.length === 0) return [];
  const weights = weigh(stems, all);
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const scored = bySource.flatMap((units, rank) => units.map((unit) => score(unit, units, weights, rank)));
  const eligible = scored.filter(({ unit }) => unit.text.length <= MAX_UNIT_CHARS && unit.kind !== 'lead');
  const best = Math.max(0, ...eligible.map((entry) => coverage(entry, total)));
  if (best < MIN_COVERAGE) return [];
  const chosen = greedy(eligible);
  return withLeads(chosen, all).sort((a, b) => a.n - b.n || a.index - b.index);
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

function score(unit: Unit, units: readonly Unit[], weights: ReadonlyMap<string, number>, rank: number): Scored {
  const found = new Map<string, number>();
  const beside = [units[unit.index - 1], unit.lead === undefined ? undefined : units[unit.lead]];
  for (const [stem, weight] of weights) {
    if (unit.own.has(stem)) found.set(stem, weight);
    else if (unit.above.has(stem)) found.set(stem, weight * ABOVE);
    else if (beside.some((other) => other?.own.has(stem))) found.set(stem, weight * BESIDE);
  }
  const sum = [...found.values()].reduce((a, b) => a + b, 0);
  // The first pieces of a passage say what it is about; long ones need no less words to say the same.
  const place = 1 + 0.2 / (1 + unit.index);
  const prior = (kindWeight(unit) * place) / (1 + RANK * rank);
  return { unit, found, score: (sum + 0.15) * prior };
}

function kindWeight(unit: Unit): number {
  if (unit.kind === 'code') return 0.5;
  return /^(?:see|read|check)\b/i.test(unit.text) || unit.own.size < 2 ? 0.6 : 1;
}

function coverage({ found }: Scored, total: number): number {
  return [...found.values()].reduce((a, b) => a + b, 0) / total;
}

/** Takes the piece with the most that was not said yet, until the rest is weak or the answer full. */
function greedy(eligible: readonly Scored[]): Unit[] {
  const chosen: Unit[] = [];
  const said = new Set<string>();
  const texts = new Set<string>();
  const left = new Set(eligible);
  let chars = 0;
  let first = 0;
  while (chosen.length < MAX_UNITS) {
    const next = bestOf(left, said);
    if (next === undefined || next.value < first * MIN_OF_BEST) break;
    left.delete(next.entry);
    const { unit, found } = next.entry;
    if (texts.has(unit.text) || (chars > 0 && chars + unit.text.length > MAX_CHARS)) continue;
    first ||= next.value;
    chosen.push(unit);
    texts.add(unit.text);
    chars += unit.text.length;
    for (const stem of found.keys()) if (unit.own.has(stem)) said.add(stem);
  }
  return chosen;
}

function bestOf(left: ReadonlySet<Scored>, said: ReadonlySet<string>) {
  let best: { entry: Scored; value: number } | undefined;
  for (const entry of left) {
    const sum = [...entry.found.values()].reduce((a, b) => a + b, 0);
    const fresh = [...entry.found].reduce((a, [stem, weight]) => a + (said.has(stem) ? REPEATED * weight : weight), 0);
    const value = sum === 0 ? entry.score * REPEATED : (entry.score * fresh) / sum;
    if (best === undefined || value > best.value) best = { entry, value };
  }
  return best;
}

/** Items without the sentence that introduces them are riddles. */
function withLeads(chosen: readonly Unit[], all: readonly Unit[]): Unit[] {
  const leads = chosen.flatMap((unit) => all.find((other) => other.n === unit.n && other.index === unit.lead) ?? []);
  return [...new Set([...chosen, ...leads])];
}
