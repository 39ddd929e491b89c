/** `askdocs gate check`: from records alone, no model, no network, in about a second; `--live` also runs the baseline again. */
import { defineCommand } from 'citty';
import { readCasesFile } from '../../harness/gate/case-lines.ts';
import { type CheckResult, checkGate } from '../../harness/gate/check.ts';
import { CHECK_FORMATS, type CheckFormat, formatCheck } from '../../harness/gate/check-text.ts';
import { type LoadedGate, loadGate } from '../../harness/gate/config.ts';
import { exitOf, type Finding } from '../../harness/gate/finding.ts';
import { liveChanges, liveFindings } from '../../harness/gate/live.ts';
import { readRun } from '../../harness/run.ts';
import { interruptible } from '../interrupt.ts';
import { createProgress } from '../progress.ts';
import { stalenessOf } from '../staleness.ts';

export const checkCommand = defineCommand({
  meta: {
    name: 'check',
    description:
      'Recompute every metric from the recorded answers and hold it against the floors of gate.json. Exit code: 0 passed, 1 a floor missed, 3 records invalid or stale.',
  },
  args: {
    gate: { type: 'string', default: 'gate.json', description: 'The gate file: baselines, floors and margins' },
    live: {
      type: 'boolean',
      default: false,
      description:
        'Also run the extractive, lexical baselines again, and fail with the cases that come out differently',
    },
    corpus: { type: 'string', default: 'data/corpus', description: 'The documents for --live', valueHint: 'DIR' },
    format: {
      type: 'enum',
      options: [...CHECK_FORMATS],
      default: process.env.GITHUB_ACTIONS === 'true' ? 'github' : 'text',
      description: 'How to print the result; github annotates the line of each case that fails',
    },
  },
  async run({ args }) {
    const gate = loadGate(args.gate);
    const checked = checkGate(gate, stalenessOf);
    const result = args.live ? await withLive(gate, checked, args.corpus) : checked;
    process.stdout.write(formatCheck(result, args.format as CheckFormat));
    return result.exit;
  },
});

/** Records that cannot be trusted are not run again: they have failed already. */
async function withLive(gate: LoadedGate, checked: CheckResult, corpus: string): Promise<CheckResult> {
  const { isRepeatable, rerun } = await import('../live.ts');
  const casesFile = readCasesFile(gate.at(gate.config.cases));
  const progress = createProgress();
  const found: Finding[] = [];
  for (const [i, run] of checked.runs.entries()) {
    if (run.findings.some(({ kind }) => kind === 'invalid')) continue;
    const recorded = readRun(gate.at(gate.config.baselines[i]?.run ?? run.run));
    if (!isRepeatable(recorded)) {
      run.note = 'not run again: only extractive runs of a lexical search come out the same everywhere';
      continue;
    }
    const fresh = await interruptible((signal) => rerun(recorded, { corpus, signal, progress }));
    const named = { ...casesFile, path: gate.config.cases };
    const findings = liveFindings(run.run, liveChanges(recorded, fresh), recorded.cases.length, named);
    run.findings.push(...findings);
    if (findings.length === 0) run.note = `run again: all ${recorded.cases.length} cases come out as recorded`;
    found.push(...findings);
  }
  progress.end();
  const findings = [...checked.findings, ...found];
  return { ...checked, findings, exit: exitOf(findings) };
}
