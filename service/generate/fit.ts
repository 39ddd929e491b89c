/** Leaves out passages that the model's context cannot hold, the lowest ranked first and whole. */
import type { Source } from '../contract.ts';

export interface FitOptions {
  /** Tokens for the prompt: the context less the answer. */
  budget: number;
  /** Tokens of rules, question and template. */
  fixed: number;
  /** Tokens of each source's block, in order. */
  sizes: readonly number[];
}

/** Marks with `used: false` from the end until the rest fits; the rules and the question are never dropped. */
export function fitSources(sources: readonly Source[], { budget, fixed, sizes }: FitOptions): Source[] {
  let total = fixed + sizes.reduce((sum, size) => sum + size, 0);
  let kept = sources.length;
  while (kept > 0 && total > budget) {
    kept -= 1;
    total -= sizes[kept] ?? 0;
  }
  return sources.map((source, index) => ({ ...source, used: index < kept }));
}
