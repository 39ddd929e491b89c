/** `askdocs report`: computes summary and report of a run again from its records. */
import { defineCommand } from 'citty';
import { finishRun } from '../../harness/finish.ts';
import { timingsOf } from '../../harness/timings.ts';
import { verifyRun } from '../../harness/verify.ts';
import { formatArg, metricsTable, printJson, timingsTable } from '../tables.ts';

export const reportCommand = defineCommand({
  meta: { name: 'report', description: 'Compute summary and report of a run again from its records, and print them' },
  args: {
    run: { type: 'positional', description: 'Folder of the run', required: true, valueHint: 'RUN' },
    format: formatArg,
  },
  run: ({ args }) => {
    const { records, summary } = finishRun(args.run);
    const problems = verifyRun(args.run);
    const timings = timingsOf(records);
    if (args.format === 'json') printJson({ summary, timings, problems });
    else {
      process.stdout.write(`${metricsTable(summary)}\n\n${timingsTable(timings)}\n`);
      for (const problem of problems) process.stdout.write(`Mind: ${problem}\n`);
      process.stdout.write(`Written: ${args.run}/report.md\n`);
    }
    return 0;
  },
});
