/** Is a run folder what was recorded? Every record against its hash, its case, its answer and its passages. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { staleAgreements } from './agreement.ts';
import { caseHash, casesHash } from './cases.ts';
import { expectedVerdicts, verdictKey } from './expected.ts';
import { answerHash, answerKey, isSealIntact, RUN_FILES, type RunRecords, readRun, sealOf } from './run.ts';
import type { JudgeInfo } from './schema.ts';

/** One sentence for each thing that is wrong; empty when the records are whole and untouched. */
export function verifyRun(dir: string): string[] {
  const edited = [RUN_FILES.answers, RUN_FILES.retrieval, RUN_FILES.verdicts].flatMap((file) => editedLines(dir, file));
  const records = readRun(dir);
  return [
    ...edited,
    ...caseProblems(records),
    ...answerProblems(records),
    ...verdictProblems(records),
    ...sealProblems(records),
    ...staleAgreements(dir),
  ];
}

/** The raw lines, so that a field nobody reads counts as well. */
function editedLines(dir: string, file: string): string[] {
  const path = join(dir, file);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      line.trim() === '' || isIntact(line) ? [] : [`${file}:${index + 1}: the record was changed after it was written`],
    );
}

function isIntact(line: string): boolean {
  try {
    return isSealIntact(JSON.parse(line) as { hash: string });
  } catch {
    return false;
  }
}

function caseProblems({ cases, manifest, answers, retrievals }: RunRecords): string[] {
  const hashes = new Map(cases.map((item) => [item.id, caseHash(item)]));
  const stale = [...answers, ...retrievals].filter((record) => hashes.get(record.case_id) !== record.case_hash);
  const found = [...new Set(stale.map((record) => record.case_id))].map(
    (id) => `case ${id}: its records belong to another version of the case`,
  );
  if (casesHash(cases) !== manifest.cases.hash)
    found.unshift(`${RUN_FILES.cases}: these are not the cases of the manifest`);
  return found;
}

function answerProblems({ cases, manifest, answers }: RunRecords): string[] {
  const found: string[] = [];
  const seen = new Map<string, number>();
  for (const record of answers) {
    seen.set(answerKey(record), (seen.get(answerKey(record)) ?? 0) + 1);
    if (answerHash(record) !== record.answer_hash)
      found.push(`case ${record.case_id}, run ${record.run}: the answer or its passages do not match their hash`);
  }
  for (const item of cases) {
    for (let run = 1; run <= manifest.runs; run += 1) {
      const count = seen.get(answerKey({ case_id: item.id, run })) ?? 0;
      if (count !== 1) found.push(`case ${item.id}, run ${run}: has ${count === 0 ? 'no answer' : `${count} answers`}`);
    }
  }
  return found;
}

function verdictProblems(records: RunRecords): string[] {
  return records.manifest.judges.flatMap((judge) => judgeProblems(records, judge));
}

/** Every verdict must answer a question that the answers make, about the sentence and passage they have now. */
function judgeProblems(records: RunRecords, judge: JudgeInfo): string[] {
  const expected = new Map(expectedVerdicts(records).map((item) => [verdictKey(item), item]));
  const found: string[] = [];
  const seen = new Set<string>();
  for (const verdict of records.verdicts.filter((item) => item.judge === judge.fingerprint)) {
    const key = verdictKey(verdict);
    const question = expected.get(key);
    const where = `verdict of ${judge.name} on case ${verdict.case_id}, run ${verdict.run}, sentence ${verdict.sentence + 1}, citation ${verdict.citation}`;
    if (seen.has(key)) found.push(`${where}: stands there twice`);
    seen.add(key);
    if (question === undefined) found.push(`${where}: the answer has no such citation`);
    else if (question.answer_hash !== verdict.answer_hash || question.text !== verdict.text)
      found.push(`${where}: belongs to another answer`);
    else if (question.passage_hash !== verdict.passage_hash) found.push(`${where}: belongs to another passage`);
    if ((verdict.supported === null) !== (verdict.status === 'unjudged'))
      found.push(`${where}: is neither judged nor unjudged`);
  }
  return found;
}

function sealProblems({ manifest, answers, retrievals, verdicts }: RunRecords): string[] {
  const fingerprints = new Set(manifest.judges.map((judge) => judge.fingerprint));
  const current = verdicts.filter((verdict) => fingerprints.has(verdict.judge));
  const pairs: [string, string | null, string][] = [
    [RUN_FILES.answers, manifest.seals.answers, sealOf(answers)],
    [RUN_FILES.retrieval, manifest.seals.retrieval, sealOf(retrievals)],
  ];
  if (fingerprints.size > 0) pairs.push([RUN_FILES.verdicts, manifest.seals.verdicts, sealOf(current)]);
  return pairs.flatMap(([file, before, now]) =>
    before === now
      ? []
      : [`${file}: ${before === null ? 'the phase was never finished' : 'records were added, replaced or removed'}`],
  );
}
