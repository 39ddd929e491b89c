/** Runs a recorded deterministic baseline again, from the documents on: index, service, questions. No model takes part. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunRecords, readRun } from '../harness/run.ts';
import { type Environment, loadConfig } from '../service/config.ts';
import { CodedError } from '../service/contract.ts';
import { silentLogger } from '../service/log.ts';
import { indexPaths } from '../service/search/ingest/index.ts';
import { startService } from '../service/serve.ts';
import type { Progress } from './progress.ts';
import { recordRun } from './record.ts';

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
  return withLexicalIndex(corpus, signal, async (db, dir) => {
    const { cases, manifest } = recorded;
    const service = await startService(loadConfig({ ...lexicalEnv(db), ...settingsOf(manifest) }), {
      log: silentLogger,
    });
    try {
      const asked = { dir: join(dir, 'run'), url: service.url, db, cases, casesPath: manifest.cases.path, judge: null };
      if (await recordRun({ ...asked, signal, onProgress: progress.update })) return readRun(asked.dir);
    } finally {
      await service.close();
    }
    throw new CodedError('cancelled', 'interrupted; a live check keeps nothing, start it again');
  });
}

/** An index of the documents without embeddings, in a folder that is gone afterwards. */
export async function withLexicalIndex<T>(
  corpus: string,
  signal: AbortSignal,
  use: (db: string, dir: string) => Promise<T>,
): Promise<T> {
  if (!existsSync(corpus)) {
    throw new CodedError('bad_input', `${corpus} does not exist; build the documents with npm run corpus`);
  }
  const dir = mkdtempSync(join(tmpdir(), 'askdocs-live-'));
  try {
    const db = join(dir, 'docs.db');
    await indexPaths({ roots: [corpus], db, signal });
    return await use(db, dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Nothing of the machine's own settings. */
export function lexicalEnv(db: string): Record<string, string> {
  return { ASKDOCS_MCP_DB: db, ASKDOCS_EMBED_MODEL: 'none', ASKDOCS_HOST: '127.0.0.1', ASKDOCS_PORT: '0' };
}

function settingsOf({ service: { settings } }: RunRecords['manifest']): Environment {
  const { top_k: topK, gate_override: gate } = settings;
  return {
    ASKDOCS_TOP_K: typeof topK === 'number' ? `${topK}` : undefined,
    CRAG_MIN_COSINE: typeof gate === 'string' ? gate : undefined,
  };
}
