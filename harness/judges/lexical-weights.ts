/** Written by scripts/fit-judge.ts from the dev pairs of cases/judge-pairs.jsonl (370 pairs); do not edit. */
export const LEXICAL_WEIGHTS = {
  bias: -1.046,
  window: 0.621,
  passage: 0.713,
  subsequence: 0.812,
  run: 0.937,
  names: -1.18,
  numbers: -1.5,
  replaced: -2.25,
  kinds: -1.5,
  opposites: -1.5,
  strong: -1.05,
  denial: -1.5,
} as const;
