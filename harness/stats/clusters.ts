/** Sums and sizes of clusters of cases; without labels each case is a cluster of its own. */
export interface Clusters {
  sums: Float64Array;
  sizes: Float64Array;
  /** All sizes are 1. */
  trivial: boolean;
}

export function groupClusters(scores: readonly number[], labels?: readonly string[]): Clusters {
  if (labels === undefined) {
    return { sums: Float64Array.from(scores), sizes: new Float64Array(scores.length).fill(1), trivial: true };
  }
  if (labels.length !== scores.length) {
    throw new RangeError(`${labels.length} cluster labels for ${scores.length} scores; each score needs one`);
  }
  const index = new Map<string, number>();
  for (const label of labels) if (!index.has(label)) index.set(label, index.size);
  const sums = new Float64Array(index.size);
  const sizes = new Float64Array(index.size);
  scores.forEach((score, i) => {
    const at = index.get(labels[i] ?? '') ?? 0;
    sums[at] = (sums[at] ?? 0) + score;
    sizes[at] = (sizes[at] ?? 0) + 1;
  });
  return { sums, sizes, trivial: index.size === scores.length };
}
