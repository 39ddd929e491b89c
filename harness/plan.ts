/** The manifest of a run about to be made: what is asked, of what, where, from which code. */
import { basename, isAbsolute } from 'node:path';
import { casesHash } from './cases.ts';
import { describeGit, describeMachine } from './machine.ts';
import { type Case, type Manifest, SCHEMA_VERSION } from './schema.ts';
import type { Description } from './targets/target.ts';

export interface Plan {
  cases: Case[];
  casesPath: string;
  runs: number;
  seed: string;
  /** Null when the harness started the service. */
  url: string | null;
  db: string | null;
  described: Description;
  cwd: string;
  now: Date;
}

export function planRun(plan: Plan): Manifest {
  const { described, cases } = plan;
  return {
    v: SCHEMA_VERSION,
    cases: {
      path: withoutFolder(plan.casesPath),
      hash: casesHash(cases),
      count: cases.length,
      order: plan.runs > 1 ? 'shuffled' : 'file',
      seed: plan.seed,
    },
    runs: plan.runs,
    service: { started: plan.url === null, url: plan.url, ...described.service },
    corpus: { db: plan.db === null ? null : withoutFolder(plan.db), ...described.corpus },
    judges: [],
    seals: { answers: null, retrieval: null, verdicts: null },
    versions: { ...described.versions, node: process.version },
    git: describeGit(plan.cwd),
    hardware: describeMachine(),
    created: plan.now.toISOString(),
  };
}

/** A manifest is published: the folders of the machine are nobody's business. */
function withoutFolder(path: string): string {
  return isAbsolute(path) ? basename(path) : path;
}
