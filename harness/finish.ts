/** Writes what is computed from the records: summary.json, timings.json, report.md. Can be repeated at any time. */
import { join } from 'node:path';
import { renderMarkdown } from './report/markdown.ts';
import { RUN_FILES, type RunRecords, readRun, writeAtomic, writeJson } from './run.ts';
import type { Summary } from './schema.ts';
import { summarise } from './summary.ts';
import { timingsOf } from './timings.ts';

export function finishRun(dir: string): { records: RunRecords; summary: Summary } {
  const records = readRun(dir);
  const summary = summarise(records);
  writeJson(join(dir, RUN_FILES.summary), summary);
  writeJson(join(dir, RUN_FILES.timings), timingsOf(records));
  writeAtomic(join(dir, RUN_FILES.report), renderMarkdown(records, summary));
  return { records, summary };
}
