/** Which committed results the README shows. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkGate } from '../harness/gate/check.ts';
import { formatCheck } from '../harness/gate/check-text.ts';
import { loadGate } from '../harness/gate/config.ts';
import { readRun } from '../harness/run.ts';
import { summarise } from '../harness/summary.ts';
import { resultSchema } from '../loadtest/result.ts';
import { evaluationTable, loadTable } from './readme-blocks.ts';
import { stalenessOf } from './staleness.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RUNS = ['results/baseline-extractive', 'results/tiny-4'];
const LOADS = ['loadtest/results/stand-in.json', 'loadtest/results/llama-cpp-tiny.json'];

export const README = join(ROOT, 'README.md');

/** From the records, as the gate does: a stored summary is never trusted. */
export function readmeBlocks(): Record<string, string> {
  const runs = RUNS.filter((dir) => existsSync(join(ROOT, dir, 'manifest.json'))).map((dir) => ({
    dir,
    summary: summarise(readRun(join(ROOT, dir))),
  }));
  const loads = LOADS.map((path) => resultSchema.parse(JSON.parse(readFileSync(join(ROOT, path), 'utf8'))));
  const gate = formatCheck(checkGate(loadGate(join(ROOT, 'gate.json')), stalenessOf), 'text').trim();
  return { evaluation: evaluationTable(runs), load: loadTable(loads), gate: `\`\`\`text\n${gate}\n\`\`\`` };
}
