/** The two sides of a comparison: run folders, checked, and joined into scores by case and repetition. */
import { caseHash } from '../cases.ts';
import { hashOf } from '../hash.ts';
import { faithfulness } from '../metrics/faithfulness.ts';
import { answerKey, type RunRecords, readRun, runExists } from '../run.ts';
import type { Case, Manifest } from '../schema.ts';
import { scoreCases, takeAllApart, verdictsByAnswer } from '../score.ts';
import { verifyRun } from '../verify.ts';
import type { Finding } from './finding.ts';

/** What may differ only when the user says so: then the output says so too. */
export const ALLOW_KINDS = ['cases', 'corpus', 'judge', 'mixed'] as const;
export type AllowKind = (typeof ALLOW_KINDS)[number];

export interface Side {
  dirs: string[];
  folders: RunRecords[];
  /** All repetitions of all folders. */
  repetitions: number;
  cases: Map<string, Case>;
  /** Scores by metric, then by case: one for each repetition, null where it has none. */
  scores: Map<string, Map<string, (number | null)[]>>;
  /** Citations without a verdict, over all folders, and the cases that have no faithfulness for want of one. */
  unjudged: { citations: number; cases: Set<string> };
}

/** A difference between what was compared, by the kind that must be allowed for it. */
export interface Mismatch {
  kind: AllowKind;
  message: string;
}

/** Reads and verifies; what cannot be trusted is a finding. */
export function loadSide(dirs: readonly string[]): { side: Side; findings: Finding[] } {
  const findings: Finding[] = [];
  const folders: RunRecords[] = [];
  for (const dir of dirs) {
    const broken = runExists(dir) ? verifyRun(dir) : ['is not a run folder'];
    findings.push(...broken.map((why) => ({ kind: 'invalid' as const, message: `${dir}: ${why}` })));
    if (broken.length === 0) folders.push(readRun(dir));
  }
  return { side: joinFolders([...dirs], folders), findings };
}

/** What differs between two sides, and between the folders of one side, that makes their difference mean something else. */
export function mismatches(base: Side, after: Side): Mismatch[] {
  const [first, other] = [base.folders[0], after.folders[0]];
  if (first === undefined || other === undefined) return [];
  return [
    ...insideOf('base', base),
    ...insideOf('new', after),
    ...casesDiffer(base, after),
    ...differ(
      'corpus',
      'the indexed documents or the settings of the index',
      corpusOf(first.manifest),
      corpusOf(other.manifest),
    ),
    ...differ('judge', 'the judge (its model, prompt or settings)', judgeOf(first.manifest), judgeOf(other.manifest)),
  ];
}

/** Is there anything to differ between the repetitions of a side? */
export function allCopies(side: Side): boolean {
  const said = new Map<string, Set<string>>();
  for (const { answers } of side.folders) {
    for (const { case_id, answer_hash } of answers)
      said.set(case_id, (said.get(case_id) ?? new Set()).add(answer_hash));
  }
  return [...said.values()].every((hashes) => hashes.size === 1);
}

function joinFolders(dirs: string[], folders: RunRecords[]): Side {
  const side: Side = {
    dirs,
    folders,
    repetitions: 0,
    cases: new Map(),
    scores: new Map(),
    unjudged: { citations: 0, cases: new Set() },
  };
  for (const folder of folders) {
    for (const item of folder.cases) side.cases.set(item.id, item);
    for (const [metric, perCase] of scoreCases(folder)) {
      const joined = side.scores.get(metric) ?? new Map<string, (number | null)[]>();
      side.scores.set(metric, joined);
      for (const [id, runs] of perCase) {
        // A case that an earlier folder did not ask has no score there.
        const before = joined.get(id) ?? new Array<number | null>(side.repetitions).fill(null);
        joined.set(id, [...before, ...runs]);
      }
    }
    side.repetitions += folder.manifest.runs;
    countUnjudged(folder, side.unjudged);
  }
  return side;
}

function countUnjudged(folder: RunRecords, unjudged: Side['unjudged']): void {
  const judge = folder.manifest.judges[0];
  if (judge === undefined) return;
  const verdicts = verdictsByAnswer(folder, judge);
  for (const item of takeAllApart(folder).values()) {
    const { value, worst, expected, judged } = faithfulness(item, verdicts.get(answerKey(item.record)) ?? []);
    unjudged.citations += expected - judged;
    if (value === null && worst !== null) unjudged.cases.add(item.case.id);
  }
}

/** Repetitions must be repetitions of one thing. */
function insideOf(name: string, side: Side): Mismatch[] {
  const parts: [string, (manifest: Manifest) => unknown][] = [
    ['cases', (manifest) => manifest.cases.hash],
    ['documents', (manifest) => manifest.corpus.hash],
    ['judges', judgeOf],
    ['services', ({ service: { provider, model, settings } }) => hashOf({ provider, model, settings })],
  ];
  return parts
    .filter(([, of]) => new Set(side.folders.map(({ manifest }) => of(manifest))).size > 1)
    .map(([what]) => ({
      kind: 'mixed',
      message: `the runs of the ${name} side have different ${what}, so they are no repetitions`,
    }));
}

function casesDiffer(base: Side, after: Side): Mismatch[] {
  const ids = new Set([...base.cases.keys(), ...after.cases.keys()]);
  const differing = [...ids].filter((id) => {
    const [a, b] = [base.cases.get(id), after.cases.get(id)];
    return a === undefined || b === undefined || caseHash(a) !== caseHash(b);
  });
  if (differing.length === 0) return [];
  const shown = differing.slice(0, 5).join(', ');
  const more = differing.length > 5 ? ` and ${differing.length - 5} more` : '';
  return [{ kind: 'cases', message: `the sides were asked different cases: ${shown}${more}` }];
}

function differ(kind: AllowKind, what: string, a: unknown, b: unknown): Mismatch[] {
  return a === b ? [] : [{ kind, message: `the sides differ in ${what}` }];
}

/** How it was searched is what a comparison is about; which documents, cut into which passages, must be the same. */
const SEARCH_SETTINGS = new Set(['gate', 'mode', 'note', 'dim', 'embedder']);

function corpusOf({ corpus: { hash, stats } }: Manifest): string | null {
  if (stats === null) return hash;
  return hashOf(Object.fromEntries(Object.entries(stats).filter(([name]) => !SEARCH_SETTINGS.has(name))));
}

function judgeOf(manifest: Manifest): string | null {
  return manifest.judges[0]?.fingerprint ?? null;
}
