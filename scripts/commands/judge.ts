/** `askdocs judge`: grades a judge on pairs of passage and claim. */
import { writeFileSync } from 'node:fs';
import { defineCommand } from 'citty';
import {
  bestThreshold,
  type Grade,
  type GradedPair,
  gradeGroups,
  gradeOf,
  judgePairs,
  type Pair,
  pairSchema,
} from '../../harness/grade.ts';
import { parseJsonl, readText } from '../../harness/jsonl.ts';
import type { Judge } from '../../harness/judges/judge.ts';
import { CodedError } from '../../service/contract.ts';
import { interruptible } from '../interrupt.ts';
import { withJudge } from '../judge-server.ts';
import { calibrationOf, writeCalibration } from '../judge-threshold.ts';
import { judgeArgs } from '../judges.ts';
import { createProgress } from '../progress.ts';
import { formatArg, printJson } from '../tables.ts';

export const judgeCommand = defineCommand({
  meta: {
    name: 'judge',
    description: 'Grade a judge on JSONL of {context, claim} with label faithful|unfaithful (and group)',
  },
  args: {
    ...judgeArgs,
    pairs: { type: 'string', required: true, description: 'JSONL of pairs', valueHint: 'FILE' },
    split: { type: 'string', description: 'Only the pairs of this split', valueHint: 'NAME' },
    out: { type: 'string', description: 'Write one verdict a line into this file', valueHint: 'FILE' },
    writeThreshold: {
      type: 'string',
      description: 'Write the threshold that separates these pairs best into this file, for --judge-threshold',
      valueHint: 'FILE',
    },
    format: formatArg,
  },
  run: async ({ args }) => {
    const all = parseJsonl(readText(args.pairs, 'the pairs'), pairSchema, args.pairs).map((line) => line.value);
    const pairs = args.split === undefined ? all : all.filter((pair) => pair.split === args.split);
    if (pairs.length === 0)
      throw new CodedError(
        'bad_input',
        `${args.pairs} holds no pair${args.split === undefined ? '' : ` of split ${args.split}`}`,
      );
    return interruptible((signal) => withJudge(args, signal, (judge) => gradeJudge(judge, pairs, args, signal)));
  },
});

interface GradeArgs {
  out?: string | undefined;
  writeThreshold?: string | undefined;
  format: string;
}

async function gradeJudge(judge: Judge, pairs: Pair[], args: GradeArgs, signal: AbortSignal): Promise<number> {
  const progress = createProgress();
  const graded = await judgePairs(pairs, judge, signal, progress.update);
  progress.end();
  if (args.out !== undefined) writeFileSync(args.out, graded.map(verdictLine).join(''));
  if (args.format === 'json')
    printJson({ judge: judge.info, ...gradeOf(graded), groups: Object.fromEntries(gradeGroups(graded)) });
  else printGrade(graded, judge.info.name);
  if (signal.aborted) return 130;
  if (args.writeThreshold !== undefined) keepThreshold(args.writeThreshold, judge, graded);
  return 0;
}

function keepThreshold(path: string, judge: Judge, graded: GradedPair[]): void {
  const calibration = calibrationOf(judge.info, graded);
  if (judge.info.name !== 'llm' || calibration === null)
    throw new CodedError(
      'bad_input',
      judge.info.name === 'llm'
        ? '--write-threshold needs pairs of both labels, and a server that gives logprobs'
        : `--write-threshold is for the llm judge; the threshold of ${judge.info.name} is part of its rules`,
    );
  writeCalibration(path, calibration);
  process.stderr.write(`Threshold ${calibration.threshold} is in ${path}. Next: --judge-threshold ${path}\n`);
}

function verdictLine({ pair, ruling }: GradedPair): string {
  return `${JSON.stringify({ id: pair.id, claim: pair.claim, label: pair.label, group: pair.group, ...ruling })}\n`;
}

function printGrade(graded: GradedPair[], judge: string): void {
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const yes = graded.filter(({ ruling }) => ruling.supported === true).length;
  const unjudged = graded.filter(({ ruling }) => ruling.status === 'unjudged').length;
  print(
    `judge ${judge}: ${graded.length} pairs, ${yes} yes, ${graded.length - yes - unjudged} no, ${unjudged} unjudged`,
  );
  const grade = gradeOf(graded);
  if (grade.n === 0) return;
  for (const line of gradeLines(grade)) print(line);
  const best = bestThreshold(graded);
  if (best !== null)
    print(
      `best threshold on these pairs ${best.threshold.toFixed(4)} (balanced accuracy ${best.balancedAccuracy.toFixed(4)})`,
    );
  for (const [name, own] of gradeGroups(graded)) print(`group ${name} n ${own.n}: ${gradeLines(own).join(', ')}`);
}

/** What cannot be computed, because one label is missing, is left out. */
function gradeLines(grade: Grade): string[] {
  const rows: [string, Grade['kappa']][] = [
    ['balanced accuracy', grade.balancedAccuracy],
    ['sensitivity', grade.sensitivity],
    ['specificity', grade.specificity],
    ['kappa', grade.kappa],
  ];
  return rows.flatMap(([name, { value, low, high }]) =>
    value === null ? [] : [`${name} ${value.toFixed(4)} [${low?.toFixed(4)}, ${high?.toFixed(4)}]`],
  );
}
