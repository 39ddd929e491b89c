import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sayRight, writeRunFolder } from '../harness/gate/testing/run-folder.ts';
import { readRun } from '../harness/run.ts';
import { summarise } from '../harness/summary.ts';
import { writeReportPage } from './report-page.ts';

const dir = mkdtempSync(join(tmpdir(), 'askdocs-report-page-'));
const at = (name: string) => join(dir, name);
const gate = at('no-gate.json');

beforeAll(async () => {
  await writeRunFolder(at('good'));
  await writeRunFolder(at('same'));
  // No fact is stated any more.
  await writeRunFolder(at('worse'), {
    say: (item) => (item.files.length === 0 ? sayRight(item) : { text: 'It is by default. [1]', shown: item.files }),
  });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function page(name: string, base?: string): string {
  const records = readRun(at(name));
  const path = writeReportPage({ dir: at(name), records, summary: summarise(records), base: base && at(base), gate });
  return readFileSync(path, 'utf8');
}

it('one run: the headline is what was measured', () => {
  expect(page('good')).toContain('Right to answer or to refuse in all of 24 cases');
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
  const { stdout } = await promisify(execFile)(process.execPath, [bin, 'report', at('worse'), at('good')], {
    cwd: dir,
  });
  expect(stdout).toContain(at('worse/against-good.html'));
  expect(readFileSync(at('worse/against-good.html'), 'utf8')).toBe(page('worse', 'good'));
});
