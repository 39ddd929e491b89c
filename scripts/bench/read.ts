/** Reads the ratios with goals out of what the benchmarks print, each in its own form. */

export interface BenchRow {
  what: string;
  measured: number;
  /** Such as `<= 1.05`; empty where there is no goal. */
  goal: string;
  met: boolean;
}

/**
 * `name 1.021 <= 1.05: holds (…)`: one line a ratio (service, load, search);
 * a Markdown table with columns measured and goal (gate); one JSON object with `ratio` and `goal` (judge);
 * `ours … 3 (0.2%) 40 (4.1%)` (prompt).
 */
export function readRows(output: string): BenchRow[] {
  return [...ratioLines(output), ...gateTable(output), ...jsonRatio(output), ...promptShares(output)];
}

function ratioLines(output: string): BenchRow[] {
  const lines = [...output.matchAll(/^(.+?)\s+(-?\d+(?:\.\d+)?)\s+(<=|>=) (-?[\d.]+): (holds|MISSED)/gm)];
  return lines.map(([, what = '', measured, sign, bound, verdict]) => ({
    what: what.trim(),
    measured: Number(measured),
    goal: `${sign} ${bound}`,
    met: verdict === 'holds',
  }));
}

function gateTable(output: string): BenchRow[] {
  const cells = output
    .split('\n')
    .flatMap((line) => (line.startsWith('|') ? [line.split('|').map((cell) => cell.trim())] : []));
  const head = cells.find((row) => row.includes('goal') && row.includes('profile'));
  if (head === undefined) return [];
  const at = (row: string[], name: string) => row[head.indexOf(name)] ?? '';
  return cells.flatMap((row) => {
    const goal = at(row, 'goal');
    if (!/[<>]=/.test(goal)) return [];
    const what = `${at(row, 'drop') === 'none' ? 'false regressions' : 'power'}, ${at(row, 'profile')}, drop ${at(row, 'drop')}, tau ${at(row, 'tau')}`;
    return [
      { what, measured: Number(at(row, 'askdocs')), goal: goal.replaceAll('*', ''), met: !goal.startsWith('**') },
    ];
  });
}

function jsonRatio(output: string): BenchRow[] {
  if (!output.trimStart().startsWith('{')) return [];
  const value = JSON.parse(output) as { ratio?: number; goal?: number; met?: boolean };
  if (typeof value.ratio !== 'number') return [];
  const goal = value.goal === undefined ? '' : `<= ${value.goal}`;
  return [{ what: 'prompt tokens a verdict, together / apart', measured: value.ratio, goal, met: value.met !== false }];
}

function promptShares(output: string): BenchRow[] {
  const line = /^\s*ours\s+\d+\s+\d+ \(([\d.]+)%\)\s+\d+ \(([\d.]+)%\)/m.exec(output);
  if (line === null) return [];
  const row = (what: string, percent: string | undefined, most: number): BenchRow => {
    const measured = Number(percent) / 100;
    return { what: `prompt tokens evaluated, ${what} / cold`, measured, goal: `<= ${most}`, met: measured <= most };
  };
  return [row('repeated question', line[1], 0.05), row('another question, same passages', line[2], 0.1)];
}

export interface Outcome {
  name: string;
  rows: BenchRow[];
  code: number | null;
  seconds: number;
}

/** One table of all, and a line for each benchmark that failed or said nothing that could be read. */
export function benchTable(outcomes: readonly Outcome[]): string {
  const lines = outcomes.flatMap(({ name, rows }) =>
    rows.map(
      ({ what, measured, goal, met }) =>
        `| ${name} | ${what} | ${measured.toPrecision(3)} | ${goal} | ${met ? 'met' : '**missed**'} |`,
    ),
  );
  const odd = outcomes.flatMap(({ name, rows, code, seconds }) => {
    if (code !== 0 && rows.every(({ met }) => met))
      return [`${name}: failed with code ${code} after ${seconds.toFixed(0)} s.`];
    return rows.length === 0 ? [`${name}: no ratio with a goal in what it printed.`] : [];
  });
  return [
    '| benchmark | what | measured | goal | |',
    '|---|---|---:|---|---|',
    ...lines,
    ...(odd.length > 0 ? ['', ...odd] : []),
  ].join('\n');
}

export function allMet(outcomes: readonly Outcome[]): boolean {
  return outcomes.every(({ rows, code }) => code === 0 && rows.every(({ met }) => met));
}
