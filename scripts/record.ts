/** One run folder made by asking a service that is there: for commands that make several runs. */
import { answerCases } from '../harness/answer.ts';
import { finishRun } from '../harness/finish.ts';
import { judgeRun } from '../harness/judge.ts';
import type { Judge } from '../harness/judges/judge.ts';
import { planRun } from '../harness/plan.ts';
import type { Case, Manifest } from '../harness/schema.ts';
import { askdocsTarget } from '../harness/targets/askdocs.ts';

export interface RecordOptions {
  dir: string;
  url: string;
  /** The index behind it, for the manifest. */
  db: string;
  cases: Case[];
  casesPath: string;
  order?: Manifest['cases']['order'];
  seed?: string;
  /** Null leaves the answers unjudged, and nothing computed from them. */
  judge: Judge | null;
  signal: AbortSignal;
  onProgress: (done: number, total: number, label: string) => void;
}

/** False when it was interrupted; what was recorded is kept, and the same call goes on with it. */
export async function recordRun(options: RecordOptions): Promise<boolean> {
  const { dir, cases, casesPath, db, judge, signal, onProgress, order = 'file', seed = 'askdocs' } = options;
  const target = askdocsTarget(options.url);
  const described = await target.describe(signal);
  const planned = planRun({
    cases,
    casesPath,
    runs: 1,
    seed,
    url: null,
    db,
    described,
    cwd: process.cwd(),
    now: new Date(),
  });
  const manifest = { ...planned, cases: { ...planned.cases, order } };
  const concurrency = described.maxConcurrent;
  const answered = await answerCases({ dir, cases, manifest, target, concurrency, signal, onProgress });
  if (answered.interrupted || judge === null) return !answered.interrupted;
  const judged = await judgeRun({ dir, judge, signal, onProgress });
  if (judged.interrupted) return false;
  finishRun(dir);
  return true;
}
