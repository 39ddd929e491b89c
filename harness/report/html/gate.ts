/** What `gate compare` and `gate check` decided, as the head of a report says it. */
import type { CheckedRun } from '../../gate/check.ts';
import type { CompareResult, MetricComparison } from '../../gate/compare.ts';
import type { Verdict } from '../../stats/verdict.ts';
import type { ReportVerdict } from './headline.ts';

const STATUS: Record<Verdict, ReportVerdict['status']> = {
  IDENTICAL: 'pass',
  'NON-INFERIOR': 'pass',
  REGRESSION: 'fail',
  INCONCLUSIVE: 'open',
  INVALID: 'open',
};

export function verdictOf(result: CompareResult): ReportVerdict {
  const gating = result.metrics.filter(({ gates }) => gates);
  const notes = [...result.findings.map(({ message }) => message), ...result.notes];
  return {
    status: STATUS[result.verdict],
    title: titleOf(result.verdict, gating),
    details: [
      ...gating.map((item) => ({ tag: tagOf(item.judged?.verdict ?? 'INVALID'), text: detailOf(item) })),
      ...notes.map((text) => ({ tag: null, text })),
    ],
  };
}

/** Whether a run reaches its floors in gate.json, and whether its records are whole and about what is there now. */
export function floorsOf({ rows, findings }: CheckedRun): ReportVerdict {
  const missed = findings.filter(({ kind }) => kind === 'floor');
  const doubts = findings.filter(({ kind }) => kind !== 'floor');
  const held = `${rows.length - missed.length} of ${rows.length} floors of the gate hold.`;
  return {
    status: doubts.length > 0 ? 'open' : missed.length > 0 ? 'fail' : 'pass',
    title: doubts.length > 0 ? 'The gate does not take this run as it is.' : held,
    details: [
      ...doubts.map(({ kind, message }) => ({ tag: { status: 'open' as const, word: kind }, text: message })),
      ...missed.map(({ message }) => ({ tag: { status: 'fail' as const, word: 'missed' }, text: message })),
    ],
  };
}

const WORDS = { pass: 'pass', fail: 'regression', open: 'not settled' } as const;

function tagOf(verdict: Verdict): { status: ReportVerdict['status']; word: string } {
  const status = STATUS[verdict];
  return { status, word: WORDS[status] };
}

function titleOf(verdict: Verdict, gating: MetricComparison[]): string {
  const titles = gating.filter(({ judged }) => judged?.verdict === verdict).map(({ title }) => title);
  if (verdict === 'REGRESSION') return `Regression in ${titles.join(', ')}.`;
  if (verdict === 'IDENTICAL') return 'Identical: every gating score is the same.';
  if (verdict === 'NON-INFERIOR') return 'Not worse: no metric that gates dropped beyond its margin.';
  if (verdict === 'INCONCLUSIVE') return `Not settled: these runs cannot tell whether ${titles.join(', ')} dropped.`;
  return titles.length > 0 ? `Cannot be compared in ${titles.join(', ')}.` : 'These two runs cannot be compared.';
}

/** The interval is of the difference, as the metric has it: higher is better or lower is. */
function detailOf({
  title,
  base,
  new: after,
  comparison,
  direction,
  margin,
  judged,
  needed,
}: MetricComparison): string {
  if (comparison === null || base === null || after === null)
    return `${title}: ${judged?.reason ?? 'nothing to compare'}`;
  const bounds = direction === 'lower' ? [-comparison.high, -comparison.low] : [comparison.low, comparison.high];
  const change = comparison.identical
    ? 'no case differs'
    : `90% interval of the change ${bounds.map(signed).join(' to ')}, margin ${margin}`;
  const why = judged?.reason ? `; ${judged.reason}` : '';
  const runs =
    judged?.verdict === 'INCONCLUSIVE' && needed?.runs ? `; ${needed.runs} repetitions a side would settle it` : '';
  return `${title} ${base.toFixed(3)} → ${after.toFixed(3)} (${change}${why}${runs})`;
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
}
