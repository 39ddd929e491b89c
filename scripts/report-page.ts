/** The HTML report of one run, or of a run against an earlier one with the verdict of the gate on top. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { compareRuns } from '../harness/gate/compare.ts';
import { DEFAULT_MARGINS, loadGate } from '../harness/gate/config.ts';
import { ALLOW_KINDS } from '../harness/gate/sides.ts';
import { verdictOf } from '../harness/report/html/gate.ts';
import { renderHtml } from '../harness/report/html.ts';
import { type RunRecords, readRun, writeAtomic } from '../harness/run.ts';
import type { Summary } from '../harness/schema.ts';
import { summarise } from '../harness/summary.ts';

export interface PageOptions {
  dir: string;
  records: RunRecords;
  summary: Summary;
  /** Folder of the earlier run. */
  base?: string | undefined;
  /** Where margins and recorded noise stand; without the file the defaults hold. */
  gate: string;
}

/** Writes the page into the run's folder and returns its path. */
export function writeReportPage({ dir, records, summary, base, gate }: PageOptions): string {
  const name = basename(dir);
  if (base === undefined) return write(join(dir, 'report.html'), renderHtml(records, summary, undefined, { name }));
  const run = readRun(base);
  const config = existsSync(gate) ? loadGate(gate).config : null;
  const result = compareRuns({
    base: [base],
    new: [dir],
    margins: config?.margins ?? DEFAULT_MARGINS,
    noise: config?.noise ?? {},
    // Someone who looks at two runs wants to see them; what differs between them is said in the notes.
    allow: ALLOW_KINDS,
  });
  const earlier = { run, summary: summarise(run), name: basename(base) };
  const page = renderHtml(records, summary, earlier, { name, verdict: verdictOf(result) });
  return write(join(dir, `against-${basename(base)}.html`), page);
}

function write(path: string, page: string): string {
  writeAtomic(path, page);
  return path;
}
