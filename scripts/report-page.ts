/** The HTML report of one run, or of a run against an earlier one, with what the gate says on top. */
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { checkGate } from '../harness/gate/check.ts';
import { compareRuns } from '../harness/gate/compare.ts';
import { DEFAULT_MARGINS, type LoadedGate, loadGate } from '../harness/gate/config.ts';
import { ALLOW_KINDS } from '../harness/gate/sides.ts';
import { floorsOf, verdictOf } from '../harness/report/html/gate.ts';
import type { ReportVerdict } from '../harness/report/html/headline.ts';
import { renderHtml } from '../harness/report/html.ts';
import { type RunRecords, readRun, writeAtomic } from '../harness/run.ts';
import type { Summary } from '../harness/schema.ts';
import { summarise } from '../harness/summary.ts';
import { stalenessOf } from './staleness.ts';

export interface PageOptions {
  dir: string;
  records: RunRecords;
  summary: Summary;
  /** Folder of the earlier run. */
  base?: string | undefined;
  /** Where floors, margins and recorded noise stand; without the file the defaults hold. */
  gate?: string | undefined;
}

/** Writes the page into the run's folder and returns its path. */
export function writeReportPage(options: PageOptions): string {
  const { dir, base } = options;
  const path = join(dir, base === undefined ? 'report.html' : `against-${basename(base)}.html`);
  writeAtomic(path, reportPage(options));
  return path;
}

/** The page with what the gate says on top, where it says something. */
export function reportPage({ dir, records, summary, base, gate }: PageOptions): string {
  const name = basename(dir);
  const loaded = gate !== undefined && existsSync(gate) ? loadGate(gate) : null;
  if (base === undefined) {
    const verdict = loaded === null ? undefined : floorsVerdict(loaded, dir);
    return renderHtml(records, summary, undefined, { name, verdict });
  }
  const run = readRun(base);
  const result = compareRuns({
    base: [base],
    new: [dir],
    margins: loaded?.config.margins ?? DEFAULT_MARGINS,
    noise: loaded?.config.noise ?? {},
    // Someone who looks at two runs wants to see them; what differs between them is said in the notes.
    allow: ALLOW_KINDS,
  });
  const earlier = { run, summary: summarise(run), name: basename(base) };
  return renderHtml(records, summary, earlier, { name, verdict: verdictOf(result) });
}

/** Undefined for a run that is no baseline: floors are promises of certain runs. */
function floorsVerdict(gate: LoadedGate, dir: string): ReportVerdict | undefined {
  const own = gate.config.baselines.filter(({ run }) => resolve(gate.at(run)) === resolve(dir));
  if (own.length === 0) return undefined;
  const [checked] = checkGate({ ...gate, config: { ...gate.config, baselines: own } }, stalenessOf).runs;
  return checked === undefined ? undefined : floorsOf(checked);
}
