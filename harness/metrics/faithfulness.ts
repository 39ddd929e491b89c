/**
 * Faithfulness of an answer = |claims supported| / |claims judged|. A claim is supported when the judge says yes for at least one passage
 * it cites, unsupported when it says no for all of them or nothing is cited, unjudged when no verdict says yes and one is missing.
 * Unjudged claims are left out of the value and bounded: `worst` counts them as unsupported, `best` as supported.
 * Refusals and errors have no score, nor have answers without a claim. Smallest n: 1 judged claim.
 * Reference: faithfulness of RAGAS (Es et al. 2023), claims being the answer's own sentences as in ALCE (Gao et al. 2023).
 */
import type { Verdict } from '../schema.ts';
import type { Answered } from './answered.ts';

export type ClaimStatus = 'supported' | 'unsupported' | 'unjudged';

export interface Faithfulness {
  value: number | null;
  worst: number | null;
  best: number | null;
  /** One for each claim, in order. */
  claims: ClaimStatus[];
  /** |citations judged to support| / |citations judged|; null when none was judged. */
  support: number | null;
  /** Questions to the judge that this answer makes, and how many of them have a yes or a no. */
  expected: number;
  judged: number;
}

/** `verdicts` are those of one judge for this answer. */
export function faithfulness(item: Answered, verdicts: readonly Verdict[]): Faithfulness {
  const said = new Map(verdicts.map((verdict) => [`${verdict.sentence}:${verdict.citation}`, verdict.supported]));
  const answers = item.claims.map((claim, index) => claim.citations.map((n) => said.get(`${index}:${n}`) ?? null));
  const claims = answers.map(claimStatus);
  const count = (status: ClaimStatus) => claims.filter((claim) => claim === status).length;
  const [yes, no, open] = [count('supported'), count('unsupported'), count('unjudged')];
  const pairs = answers.flat();
  const judged = pairs.filter((answer) => answer !== null);
  return {
    value: share(yes, yes + no),
    worst: share(yes, yes + no + open),
    best: share(yes + open, yes + no + open),
    claims,
    support: share(judged.filter(Boolean).length, judged.length),
    expected: pairs.length,
    judged: judged.length,
  };
}

function claimStatus(answers: (boolean | null)[]): ClaimStatus {
  if (answers.some((answer) => answer === true)) return 'supported';
  return answers.some((answer) => answer === null) ? 'unjudged' : 'unsupported';
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
