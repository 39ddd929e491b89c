/** Scores per case and per repetition: what every mean, interval and comparison is computed from. */
import { type Answered, takeApart } from './metrics/answered.ts';
import { citationPrecision, citationRecall } from './metrics/citation-labels.ts';
import { citesOutOfRange } from './metrics/citation-range.ts';
import { contextRecall } from './metrics/context-recall.ts';
import { rightDecision, wrongAnswer, wrongRefusal } from './metrics/decision.ts';
import { faithfulness } from './metrics/faithfulness.ts';
import { keyFactRecall } from './metrics/key-facts.ts';
import { rankedFiles } from './metrics/labels.ts';
import { misattribution } from './metrics/misattribution.ts';
import { reciprocalRank } from './metrics/mrr.ts';
import { ndcgAt } from './metrics/ndcg.ts';
import { recallAt } from './metrics/recall.ts';
import { successAt } from './metrics/success.ts';
import { answerKey, type RunRecords, verdictsOf } from './run.ts';
import {
  type AnswerRecord,
  type Case,
  isAnswerable,
  type JudgeInfo,
  type RetrievalRecord,
  type Verdict,
} from './schema.ts';

/** `scores.get(metric).get(caseId)[run - 1]`; null where the metric does not apply to that answer, or the answer is missing. */
export type Scores = Map<string, Map<string, (number | null)[]>>;

/** Pure: the same records give the same scores. Retrieval is recorded once a case and stands in every repetition alike. */
export function scoreCases(records: RunRecords): Scores {
  const { cases, manifest } = records;
  const scores: Scores = new Map();
  const put = (name: string, id: string, run: number, value: number | null) => {
    const perCase = scores.get(name) ?? new Map<string, (number | null)[]>();
    scores.set(name, perCase);
    const runs = perCase.get(id) ?? new Array<number | null>(manifest.runs).fill(null);
    perCase.set(id, runs);
    runs[run - 1] = value;
  };
  const retrievals = new Map(records.retrievals.map((record) => [record.case_id, record]));
  const apart = takeAllApart(records);
  const judged = manifest.judges.map((judge) => ({
    suffix: suffixOf(judge, manifest.judges),
    verdicts: verdictsByAnswer(records, judge),
  }));
  for (const item of cases) {
    for (let run = 1; run <= manifest.runs; run += 1) {
      const found = retrievals.get(item.id);
      for (const [name, value] of retrievalScores(item, found)) put(name, item.id, run, value);
      const answered = apart.get(answerKey({ case_id: item.id, run }));
      for (const [name, score] of ANSWER_SCORES)
        put(name, item.id, run, answered === undefined ? null : score(answered));
      for (const { suffix, verdicts } of judged) {
        const result = answered?.spoke ? faithfulness(answered, verdicts.get(answerKey(answered.record)) ?? []) : null;
        put(`citation_support${suffix}`, item.id, run, result?.support ?? null);
        put(`faithfulness${suffix}`, item.id, run, result?.value ?? null);
      }
    }
  }
  return scores;
}

/** Every answer of a case that is known, by `answerKey`. */
export function takeAllApart(records: Pick<RunRecords, 'cases' | 'answers'>): Map<string, Answered> {
  const cases = new Map(records.cases.map((item) => [item.id, item]));
  const apart = new Map<string, Answered>();
  for (const record of records.answers) {
    const item = cases.get(record.case_id);
    if (item !== undefined) apart.set(answerKey(record), takeApart(item, record));
  }
  return apart;
}

/** The first judge's metrics have no suffix; a further judge's have `@name`. */
export function suffixOf(judge: JudgeInfo, judges: readonly JudgeInfo[]): string {
  return judge === judges[0] ? '' : `@${judge.name}`;
}

/** The verdicts of one judge by `answerKey`. */
export function verdictsByAnswer(records: RunRecords, judge: JudgeInfo): Map<string, Verdict[]> {
  const verdicts = new Map<string, Verdict[]>();
  for (const verdict of verdictsOf(records, judge.fingerprint)) {
    const key = answerKey(verdict);
    verdicts.set(key, [...(verdicts.get(key) ?? []), verdict]);
  }
  return verdicts;
}

const ANSWER_SCORES: [string, (item: Answered) => number | null][] = [
  ['context_recall', contextRecall],
  ['key_fact_recall', (item) => keyFactRecall(item)],
  ['extra_fact_recall', (item) => keyFactRecall(item, false)],
  ['right_decision', (item) => rightDecision(item.case, item.record)],
  ['wrong_refusal', (item) => wrongRefusal(item.case, item.record)],
  ['wrong_answer', (item) => wrongAnswer(item.case, item.record)],
  ['service_error', (item) => isError(item.record)],
  ['citation_out_of_range', citesOutOfRange],
  ['citation_precision', citationPrecision],
  ['citation_recall', citationRecall],
  ['misattribution', misattribution],
];

function isError(record: AnswerRecord): number {
  return Number(record.status === 'error');
}

/** Of the files in the order of their best passages; a search that failed found nothing. */
function retrievalScores(item: Case, record: RetrievalRecord | undefined): [string, number | null][] {
  if (record === undefined || !isAnswerable(item)) return [];
  const ranked = rankedFiles(
    item,
    record.passages.map((passage) => passage.source),
  );
  const files = new Set(item.files);
  const gains = new Map(item.files.map((file) => [file, 1]));
  return [
    ['recall@1', recallAt(1, ranked, files)],
    ['recall@3', recallAt(3, ranked, files)],
    ['recall@5', recallAt(5, ranked, files)],
    ['success@1', successAt(1, ranked, files)],
    ['success@5', successAt(5, ranked, files)],
    ['ndcg@10', ndcgAt(10, ranked, gains)],
    ['mrr@10', reciprocalRank(10, ranked, files)],
  ];
}
