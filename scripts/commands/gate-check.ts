/** `askdocs gate check`: from records alone, no model, no network, in about a second. */
import { defineCommand } from 'citty';
import { checkGate } from '../../harness/gate/check.ts';
import { CHECK_FORMATS, type CheckFormat, formatCheck } from '../../harness/gate/check-text.ts';
import { loadGate } from '../../harness/gate/config.ts';

export const checkCommand = defineCommand({
  meta: {
    name: 'check',
    description:
      'Recompute every metric from the recorded answers and hold it against the floors of gate.json. Exit code: 0 passed, 1 a floor missed, 3 records invalid or stale.',
  },
  args: {
    gate: { type: 'string', default: 'gate.json', description: 'The gate file: baselines, floors and margins' },
    format: {
      type: 'enum',
      options: [...CHECK_FORMATS],
      default: process.env.GITHUB_ACTIONS === 'true' ? 'github' : 'text',
      description: 'How to print the result; github annotates the line of each case that fails',
    },
  },
  run({ args }) {
    const result = checkGate(loadGate(args.gate), () => []);
    process.stdout.write(formatCheck(result, args.format as CheckFormat));
    return result.exit;
  },
});
