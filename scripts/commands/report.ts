/** `askdocs report`: computes summary and report of a run again from its records. */
import { defineCommand } from 'citty';
import { finishRun } from '../../harness/finish.ts';
import { timingsOf } from '../../harness/timings.ts';
import { verifyRun } from '../../harness/verify.ts';
import { writeReportPage } from '../report-page.ts';
import { formatArg, metricsTable, printJson, timingsTable } from '../tables.ts';

export const reportCommand = defineCommand({
  meta: {
    name: 'report',
    description:
      'Compute summary and report of a run again from its records, print them, and write the page to look through',
  },
  args: {
    run: { type: 'positional', description: 'Folder of the run', required: true, valueHint: 'RUN' },
    base: {
      type: 'positional',
      description:
        'An earlier run: the page then shows the verdict on the change, and the cases that differ side by side',
      required: false,
      valueHint: 'BASE',
    },
    gate: { type: 'string', default: 'gate.json', description: 'Where the margins and the recorded noise stand' },
    format: formatArg,
  },
  run: ({ args }) => {
    const { records, summary } = finishRun(args.run);
    const problems = verifyRun(args.run);
    const timings = timingsOf(records);
    const page = writeReportPage({ dir: args.run, records, summary, base: args.base, gate: args.gate });
    if (args.format === 'json') printJson({ summary, timings, problems });
    else {
      process.stdout.write(`${metricsTable(summary)}\n\n${timingsTable(timings)}\n`);
      for (const problem of problems) process.stdout.write(`Mind: ${problem}\n`);
      process.stdout.write(`Written: ${args.run}/report.md and, to open in a browser, ${page}\n`);
    }
    return 0;
  },
});
