/** Sources as the labels see them: a file of `also` stands for the first of `files`. */
import type { Case } from '../schema.ts';

export function labelOf(item: Pick<Case, 'files' | 'also'>, source: string): string {
  return item.also.includes(source) ? (item.files[0] ?? source) : source;
}

/** Ranked passages as ranked files: each once, where its best passage stands. */
export function rankedFiles(item: Pick<Case, 'files' | 'also'>, sources: readonly string[]): string[] {
  return [...new Set(sources.map((source) => labelOf(item, source)))];
}
