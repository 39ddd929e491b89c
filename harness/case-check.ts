/** Are cases fit to measure with? Labels against the documents, duplicates, and a balance that leaves no split or kind too small. */
import { occursVerbatim, statesFact } from './metrics/facts.ts';
import { type Case, isAnswerable, KINDS, SPLITS } from './schema.ts';
import { SMALLEST_N } from './stats/mean-interval.ts';

export interface CaseProblem {
  /** An error makes the case wrong; a warning makes what is measured with it weaker. */
  level: 'error' | 'warning';
  case_id: string | null;
  message: string;
}

/** `read` gives a document's text by its source name, or null when there is none. */
export function checkCases(cases: readonly Case[], read: (source: string) => string | null): CaseProblem[] {
  return [
    ...cases.flatMap((item) => labelProblems(item, read)),
    ...duplicateProblems(cases),
    ...leakProblems(cases),
    ...balanceProblems(cases),
  ];
}

/** Words of a text that tell questions apart, for comparing two of them. */
export function questionWords(text: string): Set<string> {
  return new Set(
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}_$]+/gu) ?? [],
  );
}

function labelProblems(item: Case, read: (source: string) => string | null): CaseProblem[] {
  const found: CaseProblem[] = [];
  const error = (message: string) => found.push({ level: 'error', case_id: item.id, message });
  const texts: string[] = [];
  for (const file of [...item.files, ...item.also]) {
    const text = read(file);
    if (text === null) error(`labels ${file}, which is not among the documents`);
    else texts.push(text);
  }
  if (texts.length < item.files.length + item.also.length) return found;
  for (const { any } of item.key_facts) {
    const first = any[0] ?? '';
    const holders = texts.filter((text) => occursVerbatim(text, first));
    if (holders.length === 0) error(`"${first}" stands in none of its files; the first wording must be verbatim`);
    else if (!holders.some((text) => statesFact(text, { any }))) {
      error(
        `"${first}" stands in its file but is not recognised there (a denial before it, or part of a longer word or number)`,
      );
    }
  }
  return found;
}

function duplicateProblems(cases: readonly Case[]): CaseProblem[] {
  const words = cases.map((item) => questionWords(item.question));
  const found: CaseProblem[] = [];
  cases.forEach((item, index) => {
    for (let earlier = 0; earlier < index; earlier += 1) {
      const alike = jaccard(words[index] ?? new Set(), words[earlier] ?? new Set());
      if (alike < 0.8) continue;
      const message = `asks ${alike === 1 ? 'the same' : 'almost the same'} as ${cases[earlier]?.id}`;
      found.push({ level: alike === 1 ? 'error' : 'warning', case_id: item.id, message });
    }
  });
  return found;
}

/** What was tuned on a file must not be reported on it. */
function leakProblems(cases: readonly Case[]): CaseProblem[] {
  const splitOf = new Map<string, Case>();
  return cases.flatMap((item) => {
    const file = item.files[0];
    if (file === undefined) return [];
    const first = splitOf.get(file);
    if (first === undefined) splitOf.set(file, item);
    if (first === undefined || first.split === item.split) return [];
    const message = `is in split ${item.split}, but ${first.id} asks about ${file} in split ${first.split}`;
    return [{ level: 'warning' as const, case_id: item.id, message }];
  });
}

function balanceProblems(cases: readonly Case[]): CaseProblem[] {
  const found: CaseProblem[] = [];
  const warn = (message: string) => found.push({ level: 'warning', case_id: null, message });
  const count = (fits: (item: Case) => boolean) => cases.filter(fits).length;
  for (const kind of KINDS) {
    const n = count((item) => item.kind === kind);
    if (n < SMALLEST_N) warn(`${n} case(s) of kind ${kind}; fewer than ${SMALLEST_N} are shown but never gated on`);
  }
  const [dev, test] = SPLITS.map((split) => count((item) => item.split === split)) as [number, number];
  if (Math.min(dev, test) < 0.4 * cases.length) warn(`the splits are uneven: ${dev} dev, ${test} test`);
  const answerable = count(isAnswerable);
  for (const [file, n] of countFiles(cases)) {
    if (answerable >= SMALLEST_N && n > 0.2 * answerable)
      warn(`${n} of ${answerable} answerable cases are about ${file}`);
  }
  return found;
}

function countFiles(cases: readonly Case[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { files } of cases) {
    const file = files[0];
    if (file !== undefined) counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  return counts;
}

function jaccard(a: Set<string>, b: Set<string>): number {
  const both = [...a].filter((word) => b.has(word)).length;
  return both === 0 ? 0 : both / (a.size + b.size - both);
}
