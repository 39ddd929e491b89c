/** Written by scripts/fit-judge.ts from the dev pairs of cases/judge-pairs.jsonl (370 pairs); do not edit. */
export const LEXICAL_WEIGHTS = {
  bias: -0.883,
  window: 0.716,
  passage: 0.749,
  subsequence: 0.736,
  run: 0.802,
  names: -1.211,
  numbers: -1.5,
  replaced: -2.25,
  kinds: -1.5,
  opposites: -1.5,
  strong: -1.189,
  denial: -1.5,
} as const;
