/** `askdocs eval ab`: two configurations, interleaved, and then the comparison. */
import { existsSync } from 'node:fs';
import { defineCommand } from 'citty';
import { loadCases } from '../../harness/cases.ts';
import { compareRuns } from '../../harness/gate/compare.ts';
import { COMPARE_FORMATS, type CompareFormat, formatCompare } from '../../harness/gate/compare-text.ts';
import { DEFAULT_MARGINS, loadGate } from '../../harness/gate/config.ts';
import { CodedError } from '../../service/contract.ts';
import { readSettings, runAb } from '../ab.ts';
import { allowedKinds } from '../allow.ts';
import { readEnvironment } from '../environment.ts';
import { interruptible } from '../interrupt.ts';
import { judgeArgs, openJudge } from '../judges.ts';
import { createProgress } from '../progress.ts';

export const abCommand = defineCommand({
  meta: {
    name: 'ab',
    description:
      'Ask two configurations the same cases, interleaved (a, b, a, b), judge, and compare: is b worse than a? Exit codes as gate compare.',
  },
  args: {
    a: { type: 'string', description: 'Settings of the base, a file like .env', valueHint: 'A.env', required: true },
    b: { type: 'string', description: 'Settings of the new version', valueHint: 'B.env', required: true },
    runs: { type: 'string', default: '4', description: 'Repetitions of each side', valueHint: 'K' },
    cases: { type: 'string', default: 'cases/demo.jsonl', description: 'JSONL file of cases', valueHint: 'FILE' },
    out: {
      type: 'string',
      description: 'Folder for the runs a-1, b-1, … (default: results/ab-DATE)',
      valueHint: 'DIR',
    },
    seed: { type: 'string', default: 'askdocs', description: 'Seed of the order of the cases' },
    gate: { type: 'string', default: 'gate.json', description: 'Where the margins and the recorded noise stand' },
    allow: {
      type: 'string',
      default: '',
      description: 'Differences to let through, as in gate compare',
      valueHint: 'KIND',
    },
    ...judgeArgs,
    format: { type: 'enum', options: [...COMPARE_FORMATS], default: 'text', description: 'How to print the result' },
  },
  async run({ args }) {
    const environment = readEnvironment();
    const [a, b] = [readSettings(args.a, environment), readSettings(args.b, environment)];
    const runs = wholeNumber('--runs', args.runs);
    const allow = allowedKinds(args.allow);
    const gate = existsSync(args.gate) ? loadGate(args.gate).config : { margins: DEFAULT_MARGINS, noise: {} };
    const out = args.out ?? `results/ab-${new Date().toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '')}`;
    const options = { a, b, runs, out, seed: args.seed, cases: loadCases(args.cases), casesPath: args.cases };
    const judge = await openJudge(args);
    const progress = createProgress();
    const outcome = await interruptible((signal) => runAb({ ...options, judge, signal, progress }));
    if (outcome.interrupted) {
      progress.end(`Stopped: what was answered is kept in ${out}. The same command with --out ${out} goes on.`);
      return 130;
    }
    progress.end();
    const result = compareRuns({ base: outcome.a, new: outcome.b, margins: gate.margins, noise: gate.noise, allow });
    process.stdout.write(formatCompare(result, args.format as CompareFormat));
    return result.exit;
  },
});

function wholeNumber(option: string, given: string): number {
  const value = Number(given);
  if (Number.isInteger(value) && value >= 1 && value <= 100) return value;
  throw new CodedError('bad_input', `${option} takes a whole number from 1 to 100, not "${given}"`);
}
