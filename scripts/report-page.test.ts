import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sayRight, someCases, writeCases, writeRunFolder } from '../harness/gate/testing/run-folder.ts';
import { readRun } from '../harness/run.ts';
import { summarise } from '../harness/summary.ts';
import { writeReportPage } from './report-page.ts';

const dir = mkdtempSync(join(tmpdir(), 'askdocs-report-page-'));
const at = (name: string) => join(dir, name);

beforeAll(async () => {
  await writeRunFolder(at('good'));
  await writeRunFolder(at('same'));
  // No fact is stated any more.
  await writeRunFolder(at('worse'), {
    say: (item) => (item.files.length === 0 ? sayRight(item) : { text: 'It is by default. [1]', shown: item.files }),
  });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function page(name: string, base?: string, gate = at('no-gate.json')): string {
  const records = readRun(at(name));
  const path = writeReportPage({ dir: at(name), records, summary: summarise(records), base: base && at(base), gate });
  return readFileSync(path, 'utf8');
}

it('one run: the headline is what was measured', () => {
  expect(page('good')).toContain('Right to answer or to refuse in all of 24 cases');
});

it('a baseline: the headline is whether its floors hold, and which does not', () => {
  writeCases(at('cases.jsonl'), someCases());
  const floors = [
    { metric: 'right_decision', at_least: 0.9 },
    { metric: 'key_fact_recall', at_least: 0.9 },
  ];
  const path = at('gate.json');
  const baselines = ['good', 'worse'].map((run) => ({ run, floors }));
  writeFileSync(path, JSON.stringify({ v: 1, cases: 'cases.jsonl', baselines, margins: { key_fact_recall: 0.05 } }));
  expect(page('good', undefined, path)).toContain('<p class="verdict pass">2 of 2 floors of the gate hold.</p>');
  const worse = page('worse', undefined, path);
  expect(worse).toContain('<p class="verdict fail">1 of 2 floors of the gate hold.</p>');
  expect(worse).toMatch(
    /<span class="tag fail">missed<\/span> [^<]*key_fact_recall \(overall\) is 0\.000, below its floor/,
  );
  expect(page('same', undefined, path)).toContain('<p class="verdict">Right to answer');
});

it('two runs: the headline is the verdict of the gate', () => {
  const worse = page('worse', 'good');
  expect(worse).toMatch(/<p class="verdict fail">Regression in [^<]*key-fact recall/);
  expect(worse).toContain('<span class="tag fail">regression</span> key-fact recall 1.000 → 0.000');
  expect(page('same', 'good')).toContain('<p class="verdict pass">Identical: every gating score is the same.</p>');
});

it('two runs that cannot be compared: the headline says in what', async () => {
  await writeRunFolder(at('mute'), { say: (item) => ({ ...sayRight(item), text: 'No.', refused: true }) });
  expect(page('mute', 'good')).toContain('<p class="verdict open">Cannot be compared in faithfulness.</p>');
});

it('two runs of other cases: they are shown all the same, and what differs is said', async () => {
  const records = readRun(at('same'));
  const [first, ...rest] = records.cases;
  await writeRunFolder(at('other'), { cases: [{ ...first!, question: 'Something else?' }, ...rest] });
  const text = page('other', 'good');
  expect(text).toContain('<details class="case"');
  expect(text).toMatch(/<ul class="gate-list">[\s\S]*Allowed: /);
});

it('the command writes it where it says', async () => {
  const bin = fileURLToPath(new URL('askdocs.js', import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [bin, 'report', at('worse'), at('good'), '--gate', 'none.json'],
    {
      cwd: dir,
    },
  );
  expect(stdout).toContain(at('worse/against-good.html'));
  expect(readFileSync(at('worse/against-good.html'), 'utf8')).toBe(page('worse', 'good'));
});
