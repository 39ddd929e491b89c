/**
 * `gate check --live`: does the code still produce the records? Only for a deterministic system without any model. What is compared is all
 * that a reader sees: the answer, its citations and quotes, the passages and their order, the ranking. Scores are left out: their last
 * digits depend on the machine's arithmetic.
 */
import { hashOf } from '../hash.ts';
import { passageHash, type RunRecords } from '../run.ts';
import type { AnswerRecord, RetrievalRecord } from '../schema.ts';
import type { CasesFile } from './case-lines.ts';
import type { Finding } from './finding.ts';

export interface LiveChange {
  id: string;
  /** What differs, in the order in which it comes about. */
  parts: ('ranking' | 'passages' | 'answer' | 'citations' | 'quotes')[];
}

/** The cases that come out differently; those that are on one side only are the staleness of cases, not of code. */
export function liveChanges(recorded: RunRecords, fresh: RunRecords): LiveChange[] {
  const [before, now] = [firstRun(recorded), firstRun(fresh)];
  const changes: LiveChange[] = [];
  for (const [id, old] of before) {
    const made = now.get(id);
    if (made === undefined) continue;
    const parts = (Object.keys(old) as LiveChange['parts']).filter((part) => old[part] !== made[part]);
    if (parts.length > 0) changes.push({ id, parts });
  }
  return changes;
}

export function liveFindings(
  run: string,
  changes: readonly LiveChange[],
  total: number,
  casesFile: CasesFile,
): Finding[] {
  if (changes.length === 0) return [];
  const counts = (['ranking', 'passages', 'answer', 'citations', 'quotes'] as const)
    .map((part) => [part, changes.filter(({ parts }) => parts.includes(part)).length] as const)
    .filter(([, count]) => count > 0)
    .map(([part, count]) => `${part} of ${count}`);
  return [
    {
      kind: 'stale',
      message: `${run}: the code no longer gives what was recorded in ${changes.length} of ${total} cases (${counts.join(', ')}); if that is meant, run the evaluation again`,
      file: casesFile.path,
      cases: changes.map(({ id }) => ({ id, line: casesFile.lines.get(id) })),
    },
  ];
}

type Parts = Record<LiveChange['parts'][number], string>;

function firstRun(records: RunRecords): Map<string, Parts> {
  const retrievals = new Map(records.retrievals.map((record) => [record.case_id, record]));
  return new Map(
    records.answers
      .filter(({ run }) => run === 1)
      .map((record) => [record.case_id, { ranking: rankingOf(retrievals.get(record.case_id)), ...partsOf(record) }]),
  );
}

function rankingOf(record: RetrievalRecord | undefined): string {
  return hashOf(
    record === undefined ? null : [record.error !== null, record.passages.map((passage) => passage.passage_hash)],
  );
}

function partsOf({ answer, sources, error }: AnswerRecord): Omit<Parts, 'ranking'> {
  const quotes = answer?.evidence.map(({ start, end, citations }) => [
    start,
    end,
    citations.map(({ n, quote }) => [n, quote === null ? null : [quote.start, quote.end, quote.text]]),
  ]);
  return {
    passages: hashOf([
      sources.map((source) => [source.n, source.used, passageHash(source)]),
      answer?.nearest.map(passageHash),
    ]),
    answer: hashOf([answer?.answer, answer?.refusal, answer?.truncated, error?.stage, error?.code]),
    citations: hashOf([answer?.citations, answer?.invalid_citations]),
    quotes: hashOf(quotes ?? null),
  };
}
