import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { indexRecords } from '../../service/search/ingest/index.ts';
import { choose, curveOf } from './calibrate.ts';

describe('the curve', () => {
  const curve = curveOf({ mode: 'hybrid', answerable: [0.6, 0.8, 1, 1.2], foreign: [0.1, 0.7], near: [1.1] });
  const at = (threshold: number) => curve.find((point) => point.threshold === threshold)!;

  it('counts what each threshold would do wrong', () => {
    expect(at(0.65)).toMatchObject({
      wrongRefusals: { share: 0.25 },
      foreignAnswered: { share: 0.5 },
      nearAnswered: { share: 1 },
    });
    expect(at(0).wrongRefusals.share).toBe(0);
    expect(at(1.5).foreignAnswered.share).toBe(0);
  });

  it('the highest threshold within the limit is chosen', () => {
    expect(choose(curve, 0).threshold).toBe(0.6);
    expect(choose(curve, 0.25).threshold).toBe(0.8);
  });
});

describe('askdocs calibrate', () => {
  const cli = fileURLToPath(new URL('../askdocs.js', import.meta.url));
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'askdocs-calibrate-'));
    const records = [
      { id: 'a.md', title: 'Limits', text: 'The body limit is 1048576 bytes.' },
      { id: 'b.md', title: 'Timeouts', text: 'The idle timeout is five seconds.' },
    ];
    await indexRecords({ db: join(folder, 'a.db'), records });
    const shape = { split: 'dev', lang: 'en', tags: [] };
    const fact = { any: ['1048576'], vital: true };
    const cases = [
      { ...shape, id: 'c1', kind: 'factual', question: 'What is the body limit?', files: ['a.md'], key_facts: [fact] },
      {
        ...shape,
        id: 'c2',
        kind: 'off_topic',
        question: 'Who painted the Night Watch in Amsterdam?',
        files: [],
        key_facts: [],
      },
    ];
    writeFileSync(join(folder, 'cases.jsonl'), cases.map((one) => `${JSON.stringify(one)}\n`).join(''));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const run = (...args: string[]) =>
    spawnSync(
      process.execPath,
      [cli, 'calibrate', '--cases', join(folder, 'cases.jsonl'), '--db', join(folder, 'a.db'), ...args],
      {
        encoding: 'utf8',
        env: { ...process.env, ASKDOCS_EMBED_MODEL: 'none' },
      },
    );

  it('writes its choice into the index and warns of too few cases', () => {
    const { stdout, stderr, status } = run();
    expect(stdout).toMatch(/1\.00 .*<- chosen/);
    expect(stdout).toMatch(/Written into .*a\.db/);
    expect(stderr).toMatch(/Only 1 answerable questions: with fewer than 20/);
    expect(status).toBe(0);
  });

  it('changes nothing in a dry run, and refuses a wrong share', () => {
    expect(run('--dry-run').stdout).toContain('Nothing was changed.');
    const { status, stderr } = run('--max-wrong-refusals', '2%');
    expect(status).toBe(64);
    expect(stderr).toContain('takes a share from 0 to 1, not "2%"');
  });
});
