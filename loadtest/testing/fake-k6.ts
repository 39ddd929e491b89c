/** A program that answers like k6 for the runner's tests: a version, and a run that writes what it is told to. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface FakeK6 {
  /** Output of `version`. */
  version?: string;
  /** Text written as the summary; undefined: none. */
  summary?: string;
  stderr?: string;
  code?: number;
}

/** Returns its path; what it was called with is appended to `calls.txt` in the folder. */
export function fakeK6(
  folder: string,
  { version = 'k6 v2.2.0 (go1.26.8, linux/amd64)', summary, stderr = '', code = 0 }: FakeK6 = {},
): string {
  const path = join(folder, `k6-${Math.random().toString(36).slice(2)}`);
  const text = `#!${process.execPath}
const { appendFileSync, writeFileSync } = require('node:fs');
const args = process.argv.slice(2);
appendFileSync(${JSON.stringify(join(folder, 'calls.txt'))}, JSON.stringify(args) + '\\n');
if (args[0] === 'version') {
  console.log(${JSON.stringify(version)});
} else {
  const target = args.find((arg) => arg.startsWith('SUMMARY='));
  const summary = ${JSON.stringify(summary ?? null)};
  if (summary !== null) writeFileSync(target.slice('SUMMARY='.length), summary);
  process.stderr.write(${JSON.stringify(stderr)});
  process.exitCode = ${code};
}
`;
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}
