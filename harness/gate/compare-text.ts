/** `gate compare` in words: the verdict first, then the metrics, then the cases. */
import type { CompareResult, MetricComparison } from './compare.ts';
import { annotations, type Finding } from './finding.ts';
import { columns } from './table.ts';

export const COMPARE_FORMATS = ['text', 'json', 'markdown', 'github'] as const;
export type CompareFormat = (typeof COMPARE_FORMATS)[number];

/** By this line a workflow finds its own comment again and updates it. */
const MARKER = '<!-- askdocs gate compare -->';
const MOST_CASES = 10;

/** `placeOf` finds the line of a case for annotations; without it they name no file. */
export function formatCompare(
  result: CompareResult,
  format: CompareFormat,
  placeOf: (id: string) => { file: string; line: number } | undefined = () => undefined,
): string {
  if (format === 'json') return `${JSON.stringify(result, null, 2)}\n`;
  if (format === 'markdown') return `${MARKER}\n\n${markdown(result)}`;
  const text = plain(result);
  return format === 'github'
    ? `${text}${annotationsOf(result, placeOf)
        .map((line) => `${line}\n`)
        .join('')}`
    : text;
}

/** One sentence: the verdict, in which metric, and by how much. */
export function verdictSentence({ verdict, metrics, findings }: CompareResult): string {
  const gating = metrics.filter(({ gates }) => gates);
  const those = gating.filter(({ judged }) => judged?.verdict === verdict);
  if (verdict === 'INVALID') {
    const why = findings
      .map(({ message }) => message)
      .concat(those.map((item) => `${item.title}: ${item.judged?.reason}`));
    return `INVALID: ${why[0] ?? 'no metric gates'}${why.length > 1 ? ` (and ${why.length - 1} more)` : ''}.`;
  }
  if (verdict === 'IDENTICAL') return `IDENTICAL: every pair is equal in ${list(gating)}.`;
  if (verdict === 'NON-INFERIOR') {
    const better = gating.filter(({ comparison }) => comparison !== null && comparison.low > 0);
    return `NON-INFERIOR: no drop beyond the margin in ${list(gating)}${better.length > 0 ? `; better in ${list(better)}` : ''}.`;
  }
  if (verdict === 'REGRESSION') return `REGRESSION in ${list(those)}: ${those.map(dropOf).join('; ')}.`;
  return `INCONCLUSIVE in ${list(those)}: ${those.map(doubtOf).join('; ')}.`;
}

function dropOf({ base, new: after, judged, flips, comparison }: MetricComparison): string {
  const within = judged?.withinMargin ? ', certain though within the margin' : '';
  const p = judged === null ? '' : ` (p ${small(judged.pAdjusted)} adjusted, ${comparison?.test} test)`;
  return `${score(base)} -> ${score(after)}${p}, ${flips.broke.length} broke, ${flips.mended.length} mended${within}`;
}

/** What is not known, and what would settle it. */
function doubtOf({ title, comparison, margin, judged, needed }: MetricComparison): string {
  if (judged?.reason) return `${title}: ${judged.reason}`;
  if (comparison === null || margin === null) return title;
  const { low, high, mde } = comparison;
  const between = `${title} changed by ${signed(low)} to ${signed(high)}, the margin is ${margin}`;
  const { runs = null, cases = null } = needed ?? {};
  const ways = [runs === null ? null : `${runs} runs a side`, cases === null ? null : `${cases} cases`].filter(
    (way) => way !== null,
  );
  const settle =
    ways.length === 0 ? 'no number of runs or cases would settle it' : `${ways.join(' or ')} would settle it`;
  return `${between}; a drop of ${mde.toFixed(3)} would have been found, ${settle}`;
}

function plain(result: CompareResult): string {
  const lines = [verdictSentence(result), ''];
  lines.push(`base: ${sideText(result.base)}`, `new:  ${sideText(result.new)}`);
  for (const note of result.notes) lines.push(`note: ${note}`);
  for (const { message } of result.findings) lines.push(`  - ${message}`);
  const head = [
    '',
    'metric',
    'base',
    'new',
    'difference',
    '90% interval',
    'MDE',
    'pairs',
    'broke',
    'mended',
    'verdict',
  ];
  if (result.metrics.length > 0) lines.push('', ...columns([head, ...result.metrics.map(row)]), '', LEGEND);
  for (const metric of result.metrics.filter(({ gates }) => gates)) lines.push(...caseLines(metric));
  return `${lines.join('\n')}\n`;
}

const LEGEND =
  '* gates. The interval is two one-sided 95% bounds; MDE is the smallest drop found 4 times of 5. Higher is better, unless marked v.';

function markdown(result: CompareResult): string {
  const lines = [
    `**${verdictSentence(result)}**`,
    '',
    `base: ${sideText(result.base)}  `,
    `new: ${sideText(result.new)}`,
    '',
  ];
  for (const note of result.notes) lines.push(`- ${note}`);
  for (const { message } of result.findings) lines.push(`- ${message}`);
  if (result.metrics.length > 0) {
    lines.push('', '| | metric | base | new | difference | 90% interval | MDE | pairs | broke | mended | verdict |');
    lines.push('|---|---|---|---|---|---|---|---|---|---|---|');
    for (const metric of result.metrics) lines.push(`| ${row(metric).join(' | ')} |`);
    lines.push('', LEGEND.replace('* gates', '\\* gates'));
  }
  const cases = result.metrics.filter(({ gates }) => gates).flatMap(caseLines);
  if (cases.length > 0)
    lines.push(
      '',
      '<details><summary>Cases that changed</summary>',
      '',
      ...cases.map((line) => (line === '' ? '' : `${line}  `)),
      '</details>',
    );
  return `${lines.join('\n')}\n`;
}

function row(item: MetricComparison): string[] {
  const { comparison, direction, gates, judged, flips } = item;
  const sign = direction === 'lower' ? -1 : 1;
  const bounds = comparison === null ? null : [sign * comparison.low, sign * comparison.high].sort((a, b) => a - b);
  return [
    gates ? '*' : '',
    direction === 'lower' ? `${item.title} v` : item.title,
    score(item.base),
    score(item.new),
    comparison === null ? '-' : signed(sign * comparison.difference),
    bounds === null ? '-' : `[${bounds.map(signed).join(', ')}]`,
    comparison === null || comparison.identical ? '-' : comparison.mde.toFixed(3),
    `${comparison?.n ?? 0}`,
    `${flips.broke.length}`,
    `${flips.mended.length}`,
    judged?.verdict ?? '',
  ];
}

function caseLines(item: MetricComparison): string[] {
  const { flips, unpaired, permutation } = item;
  const lines = [
    ...ids('broke', flips.broke),
    ...ids('mended', flips.mended),
    ...ids('worse', flips.worse),
    ...ids('better', flips.better),
    ...ids(
      'scored on one side only',
      unpaired.map(({ id, scored }) => `${id} (${scored})`),
    ),
  ];
  if (permutation !== null) lines.push(`  second opinion, runs permuted within cases: p ${small(permutation)}`);
  if (lines.length === 0) return [];
  const stable = `${flips.stableRight} stable right, ${flips.stableWrong} stable wrong`;
  return ['', `${item.title}: ${stable}`, ...lines];
}

function ids(label: string, all: readonly string[]): string[] {
  if (all.length === 0) return [];
  const more = all.length > MOST_CASES ? ` and ${all.length - MOST_CASES} more` : '';
  return [`  ${label} (${all.length}): ${all.slice(0, MOST_CASES).join(', ')}${more}`];
}

function annotationsOf(
  result: CompareResult,
  placeOf: (id: string) => { file: string; line: number } | undefined,
): string[] {
  const findings: Finding[] = [...result.findings];
  for (const { title, flips, judged } of result.metrics) {
    if (judged?.verdict !== 'REGRESSION') continue;
    for (const id of [...flips.broke, ...flips.worse]) {
      const place = placeOf(id);
      findings.push({
        kind: 'floor',
        message: `case ${id} got worse in ${title}`,
        file: place?.file,
        cases: [{ id, line: place?.line }],
      });
    }
  }
  return annotations(findings);
}

function sideText({ dirs, repetitions }: CompareResult['base']): string {
  return `${dirs.join(', ')} (${repetitions} ${repetitions === 1 ? 'run' : 'runs'} of each case)`;
}

function list(metrics: readonly MetricComparison[]): string {
  return metrics.map(({ title }) => title).join(', ');
}

function score(x: number | null): string {
  return x === null ? '-' : x.toFixed(3);
}

function signed(x: number): string {
  return `${x < 0 ? '-' : '+'}${Math.abs(x).toFixed(3)}`;
}

function small(p: number): string {
  return p < 0.001 ? '< .001' : `= ${p.toFixed(3)}`;
}
