/** `askdocs gate compare BASE... -- NEW...`: did the new runs get worse? */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { defineCommand } from 'citty';
import { readCasesFile } from '../../harness/gate/case-lines.ts';
import { compareRuns } from '../../harness/gate/compare.ts';
import { COMPARE_FORMATS, type CompareFormat, formatCompare } from '../../harness/gate/compare-text.ts';
import { DEFAULT_MARGINS, loadGate } from '../../harness/gate/config.ts';
import { ALLOW_KINDS } from '../../harness/gate/sides.ts';
import { CodedError } from '../../service/contract.ts';
import { allowedKinds } from '../allow.ts';

const LATE_OPTIONS = { gate: { type: 'string' }, allow: { type: 'string' }, format: { type: 'string' } } as const;

export const compareCommand = defineCommand({
  meta: {
    name: 'compare',
    description:
      'Compare runs of a base with runs of a new version: gate compare BASE... -- NEW... Exit code: 0 not worse, 1 regression, 2 inconclusive, 3 cannot be compared.',
  },
  args: {
    gate: { type: 'string', default: 'gate.json', description: 'Where the margins and the recorded noise stand' },
    allow: {
      type: 'string',
      default: '',
      description: `Compare although this differs, and say so: ${ALLOW_KINDS.join(', ')} (several with commas)`,
      valueHint: 'KIND',
    },
    format: {
      type: 'enum',
      options: [...COMPARE_FORMATS],
      default: 'text',
      description: 'How to print the result; markdown suits a comment, github annotates the cases that broke',
    },
  },
  run({ args: before, rawArgs }) {
    const { base, after, options } = sidesOf(before._, rawArgs);
    const args = { ...before, ...options };
    const gate = existsSync(args.gate) ? loadGate(args.gate) : null;
    const result = compareRuns({
      base,
      new: after,
      margins: gate?.config.margins ?? DEFAULT_MARGINS,
      noise: gate?.config.noise ?? {},
      allow: allowedKinds(args.allow),
    });
    const lines = gate === null ? new Map<string, number>() : readCasesFile(gate.at(gate.config.cases)).lines;
    const placeOf = (id: string) => {
      const line = lines.get(id);
      return gate === null || line === undefined ? undefined : { file: gate.config.cases, line };
    };
    process.stdout.write(formatCompare(result, formatOf(args.format), placeOf));
    return result.exit;
  },
});

/** The words before and after `--`; options may stand behind it too, where citty no longer looks. */
function sidesOf(words: readonly string[], rawArgs: readonly string[]) {
  const at = rawArgs.indexOf('--');
  if (at === -1) throw new CodedError('bad_input', 'gate compare wants two sides: gate compare BASE... -- NEW...');
  const behind = rawArgs.slice(at + 1);
  try {
    const { values, positionals } = parseArgs({ args: behind, options: LATE_OPTIONS, allowPositionals: true });
    return { base: words.slice(0, words.length - behind.length), after: positionals, options: values };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CodedError('bad_input', `gate compare: ${why}`, { cause });
  }
}

function formatOf(text: string): CompareFormat {
  const format = COMPARE_FORMATS.find((known) => known === text);
  if (format === undefined)
    throw new CodedError('bad_input', `--format takes ${COMPARE_FORMATS.join(', ')}, not "${text}"`);
  return format;
}
