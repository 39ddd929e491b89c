/** What `gate noise`, `gate floors` and `gate power` print. */
import type { Floor } from './config.ts';
import type { NoiseResult } from './noise.ts';
import type { PowerResult } from './power.ts';
import { columns } from './table.ts';

const MOST_CASES = 8;

export function formatNoise(result: NoiseResult): string {
  if (result.findings.length > 0) return `INVALID: ${result.findings.map(({ message }) => message).join('\n  - ')}\n`;
  const rows = result.metrics.map(({ title, gap, tau2, within, flips, means }) => [
    title,
    means.map((x) => x.toFixed(3)).join(' '),
    gap.toFixed(3),
    Math.sqrt(tau2).toFixed(3),
    Math.sqrt(within).toFixed(3),
    `${flips.length}`,
  ]);
  const head = ['metric', 'mean of each run', 'gap', 'SD of runs', 'SD within a case', 'cases that flip'];
  return `${[
    `${result.runs} runs of the same code.`,
    ...(result.copies
      ? ['Every answer is the same, word for word, in all runs: deterministic, or served from a cache.']
      : []),
    '',
    ...columns([head, ...rows]),
    '',
    judgeLine(result),
    ...flipLines(result),
  ].join('\n')}\n`;
}

export function formatFloors(path: string, floors: readonly Floor[]): string {
  const rows = floors.map(({ metric, slice, at_least, at_most, reason }) => [
    metric,
    slice,
    at_least === undefined ? `<= ${at_most}` : `>= ${at_least}`,
    reason ?? '',
  ]);
  return `${[path, ...columns([['metric', 'slice', 'floor', ''], ...rows]).map((line) => `  ${line}`)].join('\n')}\n`;
}

export function formatPower(result: PowerResult): string {
  if (result.findings.length > 0) return `INVALID: ${result.findings.map(({ message }) => message).join('\n  - ')}\n`;
  const lines = [
    result.repetitions === 1
      ? 'One run: noise between runs as recorded in gate.json, none where nothing is recorded.'
      : `Noise between runs from ${result.repetitions} runs.`,
    'Smallest drop found 4 times of 5 (one-sided 5%): spread evenly over the cases .. breaking a few of them wholly.',
    '',
  ];
  const runs = result.metrics[0]?.mde.map((item) => item.runs) ?? [];
  const head = ['metric', 'cases', ...runs.map((k) => `${k} ${k === 1 ? 'run' : 'runs'} a side`)];
  const rows = result.metrics.map(({ title, n, mde }) => [
    title,
    `${n}`,
    ...mde.map(({ even, concentrated }) => `${even.toFixed(3)} .. ${concentrated.toFixed(3)}`),
  ]);
  lines.push(...columns([head, ...rows]), '');
  for (const { title, drop, needs } of result.metrics) {
    // Without noise between runs they are all the same, and one says it.
    const same = new Set(needs.cases.map((way) => way.cases)).size === 1;
    const ways = (same ? needs.cases.slice(0, 1) : needs.cases).map(
      (way) => `${way.cases ?? 'no number of'} cases with ${way.runs} ${way.runs === 1 ? 'run' : 'runs'}`,
    );
    const more =
      needs.runs === null
        ? 'more runs alone are never enough'
        : `${needs.runs} ${needs.runs === 1 ? 'run' : 'runs'} with these cases`;
    lines.push(`${title}: a drop of ${drop} in few cases needs ${ways.join(', ')}; ${more}.`);
  }
  return `${lines.join('\n')}\n`;
}

function judgeLine({ judge, metrics }: NoiseResult): string {
  if (judge === null)
    return 'Judge noise: not measured, no answer was judged twice (judge a copy of a run folder again).';
  const total = metrics.find(({ metric }) => metric === 'faithfulness')?.within ?? 0;
  const sd = (variance: number) => Math.sqrt(Math.max(0, variance)).toFixed(3);
  return `Judge noise: ${(100 * judge.flipRate).toFixed(1)}% of ${judge.pairs} verdicts turned when asked again; SD of a case's faithfulness ${sd(judge.variance)} by the judge, ${sd(total - judge.variance)} by the answers.`;
}

function flipLines({ metrics }: NoiseResult): string[] {
  return metrics
    .filter(({ flips }) => flips.length > 0)
    .map(({ title, flips }) => {
      const shown = flips.slice(0, MOST_CASES).map(({ id, rate }) => `${id} ${(100 * rate).toFixed(0)}%`);
      const more = flips.length > MOST_CASES ? ` and ${flips.length - MOST_CASES} more` : '';
      return `${title} flips: ${shown.join(', ')}${more}`;
    });
}
