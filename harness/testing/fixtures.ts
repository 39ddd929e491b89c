/** Cases, and a run made of them, for tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { answerCases } from '../answer.ts';
import { planRun } from '../plan.ts';
import { type Case, caseSchema, type Manifest } from '../schema.ts';
import { askdocsTarget } from '../targets/askdocs.ts';
import type { Description } from '../targets/target.ts';
import { type FakeService, passage, type Reply, refuse, say, startFakeService } from './fake-service.ts';

export const DESCRIBED: Description = {
  service: { provider: 'fake', model: 'fake', search: 'lexical', settings: {} },
  corpus: { hash: null, stats: null },
  versions: {},
  maxConcurrent: 2,
};

export const A = passage('docs/a.md', 'Alpha is 5. It is set by alphaLimit.');
export const B = passage('docs/b.md', 'Beta is 7. It is never 5.');

export function makeCase(change: Partial<Case> & { id: string }): Case {
  return caseSchema.parse({
    kind: 'factual',
    split: 'dev',
    question: `Question ${change.id}?`,
    files: ['docs/a.md'],
    key_facts: [{ any: ['Alpha is 5'] }],
    ...change,
  });
}

export const CASES: Case[] = [
  makeCase({ id: 'one' }),
  makeCase({
    id: 'two',
    kind: 'multi_source',
    split: 'test',
    files: ['docs/a.md', 'docs/b.md'],
    key_facts: [
      { any: ['Alpha is 5'], vital: true },
      { any: ['Beta is 7'], vital: true },
    ],
  }),
  makeCase({ id: 'none', kind: 'unanswerable', files: [], key_facts: [] }),
  makeCase({ id: 'off', kind: 'off_topic', split: 'test', files: [], key_facts: [] }),
];

/** Answers the two answerable cases well and refuses the others. */
export const goodReply: Reply = (question) => {
  if (/\bone\b/.test(question)) return say('Alpha is 5 [1].', [A, B]);
  if (/\btwo\b/.test(question)) return say('Alpha is 5 [1]. Beta is 7 [2].', [A, B]);
  return refuse();
};

/** A folder that is gone after the test. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'askdocs-harness-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export async function fakeService(
  reply: Reply,
  options?: Parameters<typeof startFakeService>[1],
): Promise<FakeService> {
  const service = await startFakeService(reply, options);
  onTestFinished(() => service.close());
  return service;
}

export function manifestOf(cases: Case[], runs = 1): Manifest {
  const now = new Date('2026-12-02T00:00:00Z');
  return planRun({
    cases,
    casesPath: 'cases.jsonl',
    runs,
    seed: 's',
    url: 'http://fake',
    db: null,
    described: DESCRIBED,
    cwd: tmpdir(),
    now,
  });
}

/** Answers the cases from a fake service into a new folder. */
export async function answeredRun(reply: Reply = goodReply, cases = CASES, runs = 1): Promise<string> {
  const dir = join(tempDir(), 'run');
  const service = await fakeService(reply);
  await answerCases({
    dir,
    cases,
    manifest: manifestOf(cases, runs),
    target: askdocsTarget(service.url),
    concurrency: 2,
    signal: new AbortController().signal,
  });
  return dir;
}
