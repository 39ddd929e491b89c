/**
 * What can be counted about a claim and a passage without a model. Shares are 0 to 1, counts 0 to 3; `lexical-weights.ts` says what each is
 * worth. Left out, because they helped on no set of pairs that was not used to choose: the place of numbers, words in another order,
 * hedges, the length of either text, and a name that another one stands for.
 */
import { denialDiffers, exchangedKinds, oppositesIn, overstatements } from './conflicts.ts';
import { bestWindow, type Passage, sum, tokensIn, type Wanted, type Window, wantedOf } from './match.ts';
import { continuousRun, orderShare, replacements } from './order.ts';
import { type Token, tokensOf } from './tokens.ts';

/** In the order of the weights. */
export const FEATURES = [
  /** Share of the claim's weight in the best window of sentences; and anywhere in the passage. */
  'window',
  'passage',
  /** Longest common subsequence with the window, and longest run without a gap, as shares of the claim. */
  'subsequence',
  'run',
  /** Names and numbers of the claim that the passage lacks. */
  'names',
  'numbers',
  /** Names and numbers exchanged for another word in the very same place of the closest sentence. */
  'replaced',
  /** Words exchanged for another of their kind (days, colours), for their opposite, and words that claim more. */
  'kinds',
  'opposites',
  'strong',
  /** Something is denied on one side only. */
  'denial',
] as const;
export type Feature = (typeof FEATURES)[number];
export type Features = Record<Feature, number>;

export interface Counted {
  features: Features;
  /** What each count is about, for people. */
  found: { missing: string[]; names: string[]; numbers: string[]; replaced: string[] };
}

/** Null when the claim has no content to look for. */
export function countFeatures(statement: string, passage: Passage, size: number): Counted | null {
  const claim = tokensOf(statement);
  const wanted = wantedOf(claim, passage);
  if (wanted.length === 0) return null;
  const window = bestWindow(claim, wanted, passage, size);
  const here = tokensIn(passage, window);
  const closest = tokensIn(passage, bestWindow(claim, wanted, passage, 1));
  const lacking = wanted.filter((word) => word.places.length === 0);
  const found = {
    missing: textsOf(wanted.filter((word) => !word.places.some((at) => within(passage.tokens[at], window)))),
    names: textsOf(lacking.filter((word) => word.token.name)),
    numbers: textsOf(lacking.filter((word) => word.token.value !== null)),
    replaced: textsOf(replacements(claim, wanted, closest).filter(({ token }) => token.name || token.value !== null)),
  };
  const features: Features = {
    window: window.share,
    passage: shareAnywhere(wanted),
    subsequence: orderShare(claim, here),
    run: continuousRun(claim, here),
    names: capped(found.names.length),
    numbers: capped(found.numbers.length),
    replaced: capped(found.replaced.length),
    kinds: capped(exchangedKinds(claim, closest)),
    opposites: capped(oppositesIn(claim, here)),
    strong: capped(overstatements(claim, here)),
    denial: denialDiffers(claim, closest) ? 1 : 0,
  };
  return { features, found };
}

function shareAnywhere(wanted: readonly Wanted[]): number {
  const total = sum(wanted.map((word) => word.weight));
  return total === 0 ? 0 : sum(wanted.map((word) => word.weight * word.fit)) / total;
}

function within(token: Token | undefined, { from, to }: Window): boolean {
  return token !== undefined && token.sentence >= from && token.sentence < to;
}

function textsOf(words: readonly Wanted[]): string[] {
  return words.map((word) => word.token.text);
}

function capped(count: number): number {
  return Math.min(3, count);
}
