/** `askdocs agreement`: grade what a judge decided by reading, and see how far it is right. */
import { existsSync } from 'node:fs';
import { defineCommand } from 'citty';
import { agreementPath, drawSample, readSample, staleAgreements, writeSample } from '../../harness/agreement.ts';
import { type AgreementScore, scoreAgreement } from '../../harness/agreement-score.ts';
import { labelSample } from '../../harness/label-sample.ts';
import { readRun } from '../../harness/run.ts';
import type { JudgeInfo } from '../../harness/schema.ts';
import { CodedError } from '../../service/contract.ts';
import { createPrompter } from '../prompter.ts';
import { formatArg, printJson } from '../tables.ts';

const runArg = {
  type: 'positional' as const,
  required: true as const,
  description: 'Folder of a judged run',
  valueHint: 'RUN',
};
const judgeArg = {
  type: 'string' as const,
  description: "Whose verdicts (default: the run's first judge)",
  valueHint: 'NAME',
};

const sampleCommand = defineCommand({
  meta: { name: 'sample', description: "Draw claims to grade; the judge's answers stay hidden" },
  args: {
    run: runArg,
    judge: judgeArg,
    n: { type: 'string', default: '40', description: 'How many claims' },
    by: {
      type: 'enum',
      options: ['random', 'verdict'],
      default: 'random',
      description: 'Drawn at random, or half of them supported by the judge and half not',
    },
    seed: { type: 'string', default: 'askdocs', description: 'Seed of the draw' },
  },
  run: ({ args }) => {
    const { records, judge } = judgeOf(args.run, args.judge);
    const path = agreementPath(args.run, judge.name);
    if (existsSync(path))
      throw new CodedError('bad_input', `${path} exists already; its grades would be lost. Move it away first`);
    const n = Number(args.n);
    if (!Number.isInteger(n) || n < 1)
      throw new CodedError('bad_input', `--n takes a whole number from 1, not "${args.n}"`);
    const sample = drawSample(records, judge, n, args.by === 'verdict' ? 'stratified' : 'random', args.seed);
    if (sample.items.length === 0)
      throw new CodedError('bad_input', `${args.run} has no cited claim with a verdict of ${judge.name}`);
    writeSample(path, sample);
    process.stdout.write(
      `${sample.items.length} claims to grade in ${path}. Next: askdocs agreement label ${args.run} --reference-by YOU\n`,
    );
    return 0;
  },
});

const labelCommand = defineCommand({
  meta: { name: 'label', description: 'Grade one sentence at a time; can be left and resumed' },
  args: {
    run: runArg,
    judge: judgeArg,
    referenceBy: { type: 'string', description: 'Who grades; kept with the grades', valueHint: 'NAME' },
  },
  run: async ({ args }) => {
    const { judge } = judgeOf(args.run, args.judge);
    const path = agreementPath(args.run, judge.name);
    const sample = readSample(path);
    const who = args.referenceBy ?? sample.reference_by;
    if (who === null) throw new CodedError('bad_input', 'say who grades with --reference-by NAME');
    const prompter = createPrompter();
    try {
      const left = await labelSample({
        sample: { ...sample, reference_by: who },
        ask: prompter.ask,
        show: prompter.show,
        save: (next) => writeSample(path, next),
      });
      process.stderr.write(
        left === 0
          ? `All graded. Next: askdocs agreement score ${args.run}\n`
          : `${left} left; the same command goes on.\n`,
      );
      return 0;
    } finally {
      prompter.close();
    }
  },
});

const scoreCommand = defineCommand({
  meta: { name: 'score', description: 'Agreement of judge and person, and faithfulness corrected for the judge' },
  args: { run: runArg, judge: judgeArg, format: formatArg },
  run: ({ args }) => {
    const { records, judge } = judgeOf(args.run, args.judge);
    const score = scoreAgreement(records, judge, readSample(agreementPath(args.run, judge.name)));
    if (score === null) throw new CodedError('bad_input', `nothing is graded yet; askdocs agreement label ${args.run}`);
    const stale = staleAgreements(args.run);
    if (args.format === 'json') printJson({ ...score, stale });
    else process.stdout.write(`${[...scoreLines(score), ...stale.map((why) => `Stale: ${why}`)].join('\n')}\n`);
    return stale.length > 0 ? 1 : 0;
  },
});

export const agreementCommand = defineCommand({
  meta: { name: 'agreement', description: 'Grade what a judge decided by reading, and see how far it is right' },
  subCommands: { sample: sampleCommand, label: labelCommand, score: scoreCommand },
});

function judgeOf(dir: string, name: string | undefined): { records: ReturnType<typeof readRun>; judge: JudgeInfo } {
  const records = readRun(dir);
  const judge =
    name === undefined ? records.manifest.judges[0] : records.manifest.judges.find((info) => info.name === name);
  if (judge !== undefined) return { records, judge };
  const known = records.manifest.judges.map((info) => info.name).join(', ') || 'none';
  throw new CodedError('bad_input', `${dir} was not judged by ${name ?? 'anyone'}; its judges: ${known}`);
}

function scoreLines(score: AgreementScore): string[] {
  const line = (name: string, value: number | null | undefined, low?: number, high?: number) =>
    value === null || value === undefined
      ? `${name} –`
      : `${name} ${value.toFixed(4)}${low === undefined ? '' : ` [${low.toFixed(4)}, ${high?.toFixed(4)}]`}`;
  const rate = (name: string, of: AgreementScore['ppv']) => line(name, of.rate, of.low, of.high);
  const { agreement, kappa, ac1, raw, corrected } = score;
  return [
    `judge ${score.judge} against ${score.reference_by ?? 'nobody named'}: ${score.graded} claims (${score.kind}), ${score.unsupported} of them unsupported`,
    line('agreement', agreement.value, agreement.low, agreement.high),
    line('kappa', kappa?.kappa, kappa?.low, kappa?.high),
    line('AC1', ac1?.value, ac1?.low, ac1?.high),
    rate('sensitivity', score.sensitivity),
    rate('specificity', score.specificity),
    rate('a yes is right', score.ppv),
    rate('a no is right', score.npv),
    `supported by the judge ${raw.value.toFixed(4)} of ${raw.n} cited claims`,
    line(
      `corrected (${corrected?.method ?? 'not possible with these grades'})`,
      corrected?.theta,
      corrected?.low,
      corrected?.high,
    ),
  ];
}
