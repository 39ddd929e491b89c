/** Two configurations asked the same cases, interleaved: a, b, a, b, … so that a drift of the machine hits both sides alike. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Judge } from '../harness/judges/judge.ts';
import type { Case } from '../harness/schema.ts';
import { type Environment, loadConfig } from '../service/config.ts';
import { CodedError } from '../service/contract.ts';
import { silentLogger } from '../service/log.ts';
import { isMilvus } from '../service/search/stores/milvus/address.ts';
import { type Service, startService } from '../service/serve.ts';
import type { Progress } from './progress.ts';
import { recordRun } from './record.ts';

export interface AbOptions {
  /** Settings of each side, without those of the machine. */
  a: Environment;
  b: Environment;
  runs: number;
  cases: Case[];
  casesPath: string;
  out: string;
  judge: Judge;
  seed: string;
  signal: AbortSignal;
  progress: Progress;
}

export interface AbOutcome {
  a: string[];
  b: string[];
  interrupted: boolean;
}

/** What differs between two repetitions must be the system: no copies from a prompt cache. */
const REPEATED = { ASKDOCS_LLM_CACHE_PROMPT: 'false', ASKDOCS_HOST: '127.0.0.1', ASKDOCS_PORT: '0' };

/** Writes `a-1`, `b-1`, `a-2`, … under `out`; a folder that is finished is not asked again. */
export async function runAb(options: AbOptions): Promise<AbOutcome> {
  const outcome: AbOutcome = { a: [], b: [], interrupted: false };
  const services: { side: 'a' | 'b'; service: Service; db: string }[] = [];
  try {
    for (const side of ['a', 'b'] as const) {
      const config = loadConfig({ ...options[side], ...REPEATED });
      requireIndex(side, config.search);
      services.push({ side, service: await startService(config, { log: silentLogger }), db: config.search.db });
    }
    for (let run = 1; run <= options.runs; run++) {
      for (const { side, service, db } of services) {
        const dir = join(options.out, `${side}-${run}`);
        const { cases, casesPath, judge, signal, progress } = options;
        const asked = { dir, url: service.url, db, cases, casesPath, judge, signal };
        // Both sides of a repetition ask in the same order, each repetition in another one.
        const order = { order: 'shuffled', seed: `${options.seed}/${run}` } as const;
        const onProgress = (done: number, total: number, label: string) =>
          progress.update(done, total, `${dir}: ${label}`);
        if (!(await recordRun({ ...asked, ...order, onProgress }))) return { ...outcome, interrupted: true };
        outcome[side].push(dir);
      }
    }
    return outcome;
  } finally {
    await Promise.all(services.map(({ service }) => service.close()));
  }
}

/** Settings of a file in the form of `.env`, over those of the process. */
export function readSettings(path: string, environment: Environment): Environment {
  if (!existsSync(path))
    throw new CodedError('bad_input', `${path} does not exist; it should hold lines like ASKDOCS_TOP_K=3`);
  return { ...environment, ...parseEnv(readFileSync(path, 'utf8')) };
}

function requireIndex(side: string, { db, command }: { db: string; command: readonly string[] | undefined }): void {
  if (command === undefined && !isMilvus(db) && !existsSync(db)) {
    throw new CodedError(
      'bad_input',
      `side ${side} has no index at ${db}; make one with askdocs index PATH --db ${db}`,
    );
  }
}
