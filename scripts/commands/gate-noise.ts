/** `askdocs gate noise RUN RUN...`: how much do runs of the same code differ? */
import { defineCommand } from 'citty';
import { updateGate } from '../../harness/gate/config.ts';
import { exitOf } from '../../harness/gate/finding.ts';
import { measureNoise, recordedNoise } from '../../harness/gate/noise.ts';
import { formatNoise } from '../../harness/gate/planning-text.ts';

export const noiseCommand = defineCommand({
  meta: {
    name: 'noise',
    description:
      'How much runs of the same code differ: per metric, per case, and what of it is the judge. gate noise RUN RUN...',
  },
  args: {
    gate: { type: 'string', default: 'gate.json', description: 'The gate file that --write records the noise in' },
    write: { type: 'boolean', default: false, description: 'Record the noise in the gate file' },
    format: { type: 'enum', options: ['text', 'json'], default: 'text', description: 'How to print the result' },
  },
  run({ args }) {
    const result = measureNoise(args._);
    process.stdout.write(args.format === 'json' ? `${JSON.stringify(result, null, 2)}\n` : formatNoise(result));
    if (args.write && result.findings.length === 0) updateGate(args.gate, { noise: recordedNoise(result) });
    return exitOf(result.findings);
  },
});
