/** Runs a recorded deterministic baseline again, from the documents on: index, service, questions. No model takes part. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerCases } from '../harness/answer.ts';
import { planRun } from '../harness/plan.ts';
import { type RunRecords, readRun } from '../harness/run.ts';
import { askdocsTarget } from '../harness/targets/askdocs.ts';
import { loadConfig } from '../service/config.ts';
import { CodedError } from '../service/contract.ts';
import { silentLogger } from '../service/log.ts';
import { indexPaths } from '../service/search/ingest/index.ts';
import { startService } from '../service/serve.ts';
import type { Progress } from './progress.ts';

/** Only such a run comes out the same on every machine: embeddings differ in the last digits between processors. */
export function isRepeatable({ manifest }: Pick<RunRecords, 'manifest'>): boolean {
  return manifest.service.provider === 'extractive' && manifest.service.search === 'lexical';
}

export interface LiveOptions {
  /** Folder of the documents that the baseline was made from. */
  corpus: string;
  signal: AbortSignal;
  progress: Progress;
}

/** The records that the code makes now of the same cases with the same settings. */
export async function rerun(recorded: RunRecords, { corpus, signal, progress }: LiveOptions): Promise<RunRecords> {
  if (!existsSync(corpus))
    throw new CodedError('bad_input', `${corpus} does not exist; build the documents with npm run corpus`);
  const dir = mkdtempSync(join(tmpdir(), 'askdocs-live-'));
  try {
    const db = join(dir, 'docs.db');
    await indexPaths({ roots: [corpus], db, signal });
    return await ask(recorded, db, join(dir, 'run'), signal, progress);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function ask(
  recorded: RunRecords,
  db: string,
  dir: string,
  signal: AbortSignal,
  progress: Progress,
): Promise<RunRecords> {
  const { top_k: topK, gate_override: gate } = recorded.manifest.service.settings;
  // Nothing of the machine's own settings: the run has to be the recorded one.
  const env = {
    ASKDOCS_MCP_DB: db,
    ASKDOCS_HOST: '127.0.0.1',
    ASKDOCS_PORT: '0',
    ASKDOCS_TOP_K: typeof topK === 'number' ? `${topK}` : undefined,
    CRAG_MIN_COSINE: typeof gate === 'string' ? gate : undefined,
  };
  const service = await startService(loadConfig(env), { log: silentLogger });
  try {
    const target = askdocsTarget(service.url);
    const described = await target.describe(signal);
    const { cases } = recorded;
    const plan = { cases, casesPath: recorded.manifest.cases.path, runs: 1, seed: '', url: null, db, described };
    const manifest = planRun({ ...plan, cwd: process.cwd(), now: new Date() });
    const outcome = await answerCases({
      dir,
      cases,
      manifest,
      target,
      concurrency: described.maxConcurrent,
      signal,
      onProgress: progress.update,
    });
    if (outcome.interrupted)
      throw new CodedError('cancelled', 'interrupted; a live check keeps nothing, start it again');
    return readRun(dir);
  } finally {
    await service.close();
  }
}
