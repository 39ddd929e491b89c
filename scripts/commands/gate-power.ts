/** `askdocs gate power`: what can these cases find, and what would a wanted drop need? */
import { existsSync } from 'node:fs';
import { defineCommand } from 'citty';
import { DEFAULT_MARGINS, loadGate } from '../../harness/gate/config.ts';
import { exitOf } from '../../harness/gate/finding.ts';
import { formatPower } from '../../harness/gate/planning-text.ts';
import { measurePower } from '../../harness/gate/power.ts';
import { CodedError } from '../../service/contract.ts';

export const powerCommand = defineCommand({
  meta: {
    name: 'power',
    description:
      'What a comparison on these cases can find with K runs, and how many cases or runs a drop needs. gate power [RUN...]',
  },
  args: {
    gate: {
      type: 'string',
      default: 'gate.json',
      description: 'Margins, recorded noise, and the baseline when no RUN is given',
    },
    drop: {
      type: 'string',
      description: 'The drop to plan for, 0 to 1 (default: the margin of each metric)',
      valueHint: 'D',
    },
    format: { type: 'enum', options: ['text', 'json'], default: 'text', description: 'How to print the result' },
  },
  run({ args }) {
    const gate = existsSync(args.gate) ? loadGate(args.gate) : null;
    const first = gate?.config.baselines[0];
    const dirs = args._.length > 0 ? args._ : first === undefined ? [] : [gate?.at(first.run) ?? first.run];
    if (dirs.length === 0)
      throw new CodedError('bad_input', 'gate power needs a run: name one, or a gate file that names a baseline');
    const { margins, noise } = gate?.config ?? { margins: DEFAULT_MARGINS, noise: {} };
    const result = measurePower(dirs, margins, noise, dropOf(args.drop));
    process.stdout.write(args.format === 'json' ? `${JSON.stringify(result, null, 2)}\n` : formatPower(result));
    return exitOf(result.findings);
  },
});

function dropOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const drop = Number(text);
  if (!(drop > 0 && drop < 1))
    throw new CodedError('bad_input', `--drop takes a number between 0 and 1, not "${text}"`);
  return drop;
}
