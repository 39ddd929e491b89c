/** `askdocs gate floors`: bounds for the baselines of gate.json, from their intervals and the recorded noise. */
import { defineCommand } from 'citty';
import { loadGate, updateGate } from '../../harness/gate/config.ts';
import { exitOf, type Finding } from '../../harness/gate/finding.ts';
import { proposeFloors } from '../../harness/gate/floors.ts';
import { formatFloors } from '../../harness/gate/planning-text.ts';
import { readRun } from '../../harness/run.ts';
import { summarise } from '../../harness/summary.ts';
import { verifyRun } from '../../harness/verify.ts';

export const floorsCommand = defineCommand({
  meta: {
    name: 'floors',
    description:
      "Propose floors: the end of the baseline's interval, moved by the recorded noise, rounded outward to 0.05.",
  },
  args: {
    gate: { type: 'string', default: 'gate.json', description: 'The gate file: baselines, and their floors so far' },
    write: { type: 'boolean', default: false, description: 'Write the floors into the gate file' },
    format: { type: 'enum', options: ['text', 'json'], default: 'text', description: 'How to print the floors' },
  },
  run({ args }) {
    const gate = loadGate(args.gate);
    const findings: Finding[] = [];
    const baselines = gate.config.baselines.map((baseline) => {
      const dir = gate.at(baseline.run);
      const broken = verifyRun(dir);
      findings.push(...broken.map((why) => ({ kind: 'invalid' as const, message: `${baseline.run}: ${why}` })));
      if (broken.length > 0) return baseline;
      return {
        ...baseline,
        floors: proposeFloors(summarise(readRun(dir)).metrics, baseline.floors, gate.config.noise),
      };
    });
    for (const { message } of findings) process.stderr.write(`askdocs: ${message}\n`);
    if (args.format === 'json') process.stdout.write(`${JSON.stringify(baselines, null, 2)}\n`);
    else for (const { run, floors } of baselines) process.stdout.write(formatFloors(run, floors));
    if (args.write && findings.length === 0) updateGate(args.gate, { baselines });
    return exitOf(findings);
  },
});
