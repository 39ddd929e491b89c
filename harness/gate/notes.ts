/** What a reader of a comparison should know beside its verdict. */
import type { MetricComparison } from './compare.ts';
import { allCopies, type Side } from './sides.ts';

export function notesOn(base: Side, after: Side): string[] {
  const notes: string[] = [];
  for (const [name, side] of [
    ['base', base],
    ['new', after],
  ] as const) {
    if (side.unjudged.citations > 0)
      notes.push(
        `${side.unjudged.citations} citations of the ${name} side have no verdict; they are left out of faithfulness.`,
      );
    if (side.repetitions > 1 && allCopies(side))
      notes.push(
        `All runs of the ${name} side gave the same answers, word for word: deterministic, or served from a cache.`,
      );
    const order = side.folders.some(({ manifest }) => manifest.runs > 1 && manifest.cases.order === 'file');
    if (order)
      notes.push(
        `The ${name} side asked its repetitions in the order of the file: later ones may have been served from a cache.`,
      );
  }
  if (base.repetitions === 1 && after.repetitions === 1) {
    notes.push(
      'One run a side: the noise between runs cannot be seen here; exact tests, and the noise recorded in gate.json where there is any.',
    );
  }
  return notes;
}

/** A drop in a metric without a margin decides nothing, and must not go unseen either. */
export function ungatedDrops(metrics: readonly MetricComparison[]): string[] {
  return metrics
    .filter(
      ({ gates, comparison }) => !gates && comparison !== null && comparison.difference < 0 && comparison.p < 0.05,
    )
    .map(
      ({ title, base, new: after }) => `Not gated, but worse: ${title}, ${base?.toFixed(3)} -> ${after?.toFixed(3)}.`,
    );
}
