/** Runs written into a folder of each test, and compared with the margins of the gate. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type CompareOptions, compareRuns } from '../compare.ts';
import { DEFAULT_MARGINS } from '../config.ts';
import { type WrittenRun, writeRunFolder } from './run-folder.ts';

export function comparing() {
  let dir = '';
  let made = 0;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'compare-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  return {
    folder: () => dir,
    run: (written: WrittenRun = {}) => writeRunFolder(join(dir, `run${made++}`), written),
    compare: (base: string[], after: string[], options: Partial<CompareOptions> = {}) =>
      compareRuns({ base, new: after, margins: DEFAULT_MARGINS, noise: {}, allow: [], ...options }),
  };
}

export function metric(result: ReturnType<typeof compareRuns>, name: string) {
  return result.metrics.find((item) => item.metric === name)!;
}
