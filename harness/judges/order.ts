/** Whether words that claim and passage share stand in the same order, and which of them were exchanged for others. */
import type { Wanted } from './match.ts';
import type { Token } from './tokens.ts';

/** Longest common subsequence of all words, as a share of the claim. */
export function orderShare(claim: readonly Token[], there: readonly Token[]): number {
  if (claim.length === 0) return 0;
  let row = new Uint16Array(there.length + 1);
  for (const token of claim) {
    const next = new Uint16Array(there.length + 1);
    for (let at = 1; at <= there.length; at += 1) {
      const same = there[at - 1]?.stem === token.stem;
      next[at] = same ? (row[at - 1] ?? 0) + 1 : Math.max(row[at] ?? 0, next[at - 1] ?? 0);
    }
    row = next;
  }
  return (row[there.length] ?? 0) / claim.length;
}

/** Longest run of words in the same order without a gap, as a share of the claim. */
export function continuousRun(claim: readonly Token[], there: readonly Token[]): number {
  if (claim.length === 0) return 0;
  let best = 0;
  let row = new Uint16Array(there.length + 1);
  for (const token of claim) {
    const next = new Uint16Array(there.length + 1);
    for (let at = 1; at <= there.length; at += 1) {
      if (there[at - 1]?.stem === token.stem) next[at] = (row[at - 1] ?? 0) + 1;
      best = Math.max(best, next[at] ?? 0);
    }
    row = next;
  }
  return best / claim.length;
}

/** Words of the claim that the sentence lacks where it has another content word in the very same place. */
export function replacements(claim: readonly Token[], wanted: readonly Wanted[], sentence: readonly Token[]): Wanted[] {
  const there = new Set(sentence.map((token) => token.stem));
  const said = new Set(claim.map((token) => token.stem));
  return wanted.filter(({ token, at }) => {
    if (there.has(token.stem)) return false;
    const [before, after] = [claim[at - 1], claim[at + 1]];
    return sentence.some((other, spot) => {
      if (!other.content || said.has(other.stem)) return false;
      const left = before !== undefined && sentence[spot - 1]?.stem === before.stem;
      const right = after !== undefined && sentence[spot + 1]?.stem === after.stem;
      const leftEdge = before === undefined && spot === 0;
      const rightEdge = after === undefined && spot === sentence.length - 1;
      return (left || leftEdge) && (right || rightEdge);
    });
  });
}
