/** Joins what cleared the gate and what did not into one ranking. Pure. */
import type { Passage } from '../contract.ts';

/** Both lists come best first; they are merged by fusion score, and each keeps its own order where scores lack or tie. */
export function mergeByRank(passages: readonly Passage[], below: readonly Passage[]): Passage[] {
  const merged: Passage[] = [];
  let from = 0;
  for (const passage of passages) {
    while (from < below.length && fusion(below[from]) > fusion(passage)) merged.push(below[from++] as Passage);
    merged.push(passage);
  }
  return [...merged, ...below.slice(from)];
}

function fusion(passage: Passage | undefined): number {
  return passage?.fusion ?? Number.NEGATIVE_INFINITY;
}
