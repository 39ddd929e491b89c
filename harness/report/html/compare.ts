/** Two runs of the same cases: which cases differ, and whether for the better. What a difference is worth, `gate compare` tells. */
import type { AnswerView, CaseView } from './view.ts';

/** `reworded`: another text, passages or verdicts with the same scores. `only`: the case stands in one of the runs. */
export type ChangeKind = 'same' | 'reworded' | 'better' | 'worse' | 'mixed' | 'only';

export interface CasePair {
  base: CaseView | undefined;
  current: CaseView | undefined;
  change: ChangeKind;
  /** Metrics whose mean over the repetitions differs. */
  moved: { name: string; from: number | null; to: number | null }[];
}

/** What makes one answer better than another: the metrics that gate. */
const DECISIVE = ['right_decision', 'key_fact_recall', 'context_recall', 'faithfulness'];

/** In the order of the current run; cases that only the base has come last. */
export function pairCases(base: CaseView[], current: CaseView[]): CasePair[] {
  const before = new Map(base.map((view) => [view.item.id, view]));
  const now = new Set(current.map((view) => view.item.id));
  return [
    ...current.map((view) => pair(before.get(view.item.id), view)),
    ...base.filter((view) => !now.has(view.item.id)).map((view) => pair(view, undefined)),
  ];
}

function pair(base: CaseView | undefined, current: CaseView | undefined): CasePair {
  if (base === undefined || current === undefined) return { base, current, change: 'only', moved: [] };
  const moved = DECISIVE.flatMap((name) => {
    const [from, to] = [base.means.get(name) ?? null, current.means.get(name) ?? null];
    return from === to || (from !== null && to !== null && Math.abs(from - to) < 1e-9) ? [] : [{ name, from, to }];
  });
  return { base, current, moved, change: changeOf(base, current, moved) };
}

function changeOf(base: CaseView, current: CaseView, moved: CasePair['moved']): ChangeKind {
  const known = moved.filter((item): item is { name: string; from: number; to: number } => {
    return item.from !== null && item.to !== null;
  });
  const up = known.some((item) => item.to > item.from);
  const down = known.some((item) => item.to < item.from);
  if (up && down) return 'mixed';
  if (up || down) return up ? 'better' : 'worse';
  return saidIn(base) === saidIn(current) ? 'same' : 'reworded';
}

function saidIn(view: CaseView): string {
  const print = ({ runs, apart, judged }: AnswerView) => [
    runs,
    apart.record.answer_hash,
    judged.map(({ result }) => result.claims),
  ];
  return JSON.stringify([view.answers.map(print), view.missing]);
}
