/**
 * Error rates of three rules that say "this is a regression", on simulated runs: `npm run bench:gate [-- --quick]`.
 * Seeded: the same table every time. The goals stand in GOALS; what misses one is marked and the exit code is 1.
 */
import { PROFILES, type Profile, type RuleRates, simulate } from '../harness/stats/simulation.ts';
import { createProgress } from './progress.ts';

const CASES = 35;
const RUNS = 4;
const DROP = 0.15;
const REPETITIONS = process.argv.includes('--quick') ? 2000 : 20_000;

interface Row {
  profile: Profile;
  drop: number;
  tau: number;
  /** What our rule must reach: at most, for false alarms; at least, for power. */
  goal: { at_most?: number; at_least?: number } | null;
}

const POWER_GOALS: Record<Profile, number> = { low: 0.95, medium: 0.8, concentrated: 0.62 };

const rows: Row[] = PROFILES.flatMap((profile) => [
  { profile, drop: 0, tau: 0, goal: { at_most: 0.05 } },
  { profile, drop: 0, tau: 0.25, goal: { at_most: 0.05 } },
  { profile, drop: 0, tau: 0.5, goal: { at_most: 0.065 } },
  { profile, drop: DROP, tau: 0, goal: { at_least: POWER_GOALS[profile] } },
  { profile, drop: DROP, tau: 0.25, goal: null },
  { profile, drop: DROP, tau: 0.5, goal: null },
]);

const progress = createProgress();
const started = performance.now();
const lines: string[] = [];
let missed = 0;
rows.forEach((row, i) => {
  progress.update(i, rows.length, `${row.profile}, drop ${row.drop}, tau ${row.tau}`);
  const rates = simulate(
    { ...row, cases: CASES, runs: RUNS },
    REPETITIONS,
    `bench/${row.profile}/${row.drop}/${row.tau}`,
  );
  const met = isMet(row.goal, rates.ours);
  if (!met) missed += 1;
  lines.push(tableRow(row, rates, met));
});
progress.end();

process.stdout.write(
  `${[
    `${CASES} cases, ${RUNS} runs a side, ${REPETITIONS} simulated comparisons a row; share of them called a regression.`,
    'The rule of two conditions sees one run a side, and the noise of four runs of the base.',
    '',
    '| profile | drop | tau | askdocs | goal | paired bootstrap alone | two conditions, one run |',
    '|---|---|---|---|---|---|---|',
    ...lines,
    '',
    missed === 0 ? 'All goals met.' : `${missed} goal(s) missed.`,
  ].join('\n')}\n`,
);
process.stderr.write(`${((performance.now() - started) / 1000).toFixed(1)} s\n`);
process.exitCode = missed === 0 ? 0 : 1;

function isMet(goal: Row['goal'], rate: number): boolean {
  if (goal === null) return true;
  return rate <= (goal.at_most ?? 1) && rate >= (goal.at_least ?? 0);
}

function tableRow({ profile, drop, tau, goal }: Row, rates: RuleRates, met: boolean): string {
  const wanted = goal === null ? '' : goal.at_most === undefined ? `>= ${goal.at_least}` : `<= ${goal.at_most}`;
  const show = (rate: number) => rate.toFixed(3);
  const cells = [profile, drop === 0 ? 'none' : `${drop}`, `${tau}`, show(rates.ours), met ? wanted : `**${wanted}**`];
  return `| ${[...cells, show(rates.pairedBootstrap), show(rates.twoConditions)].join(' | ')} |`;
}
