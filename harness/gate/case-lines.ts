/** On which line of its file a case stands, for annotations. */
import { parseCases } from '../cases.ts';
import { readText } from '../jsonl.ts';
import type { Case } from '../schema.ts';

export interface CasesFile {
  path: string;
  cases: Case[];
  /** From 1. */
  lines: Map<string, number>;
}

export function readCasesFile(path: string): CasesFile {
  const text = readText(path, 'the cases file');
  const cases = parseCases(text, path);
  // parseCases skips blank lines alone, so the n-th case stands on the n-th line that is not blank.
  const filled = text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [index + 1]));
  return { path, cases, lines: new Map(cases.map(({ id }, i) => [id, filled[i] ?? 1])) };
}
