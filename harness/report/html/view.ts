/** What the report shows of a run, case by case: answers that are alike in all repetitions stand once. */
import { type Answered, takeApart } from '../../metrics/answered.ts';
import { decide } from '../../metrics/decision.ts';
import { statesFact } from '../../metrics/facts.ts';
import { type Faithfulness, faithfulness } from '../../metrics/faithfulness.ts';
import { answerKey, type RunRecords } from '../../run.ts';
import type { Case, JudgeInfo, KeyFact, RefusalMatrix, RetrievalRecord, Verdict } from '../../schema.ts';
import { type Scores, scoreCases, verdictsByAnswer } from '../../score.ts';
import { caseMean } from '../../summary.ts';

export type Outcome = keyof RefusalMatrix;

/** What a case can be filtered by; a case has a flag when one of its answers has. */
export type Flag = Outcome | 'wrong' | 'refused' | 'unsupported' | 'missing' | 'changed' | 'better' | 'worse';

export interface Judged {
  judge: JudgeInfo;
  result: Faithfulness;
  verdicts: Verdict[];
}

/** One answer as it was given, in one repetition or in several alike. */
export interface AnswerView {
  runs: number[];
  apart: Answered;
  outcome: Outcome;
  facts: { fact: KeyFact; stated: boolean }[];
  /** In the order of the manifest: the first judge is the one that marks sentences. */
  judged: Judged[];
}

export interface CaseView {
  item: Case;
  answers: AnswerView[];
  /** Repetitions that have no record. */
  missing: number[];
  retrieval: RetrievalRecord | undefined;
  /** Mean over the repetitions, by metric. */
  means: Map<string, number | null>;
  flags: Set<Flag>;
}

export function viewRun(records: RunRecords): CaseView[] {
  const scores = scoreCases(records);
  const retrievals = new Map(records.retrievals.map((record) => [record.case_id, record]));
  const answers = new Map(records.answers.map((record) => [answerKey(record), record]));
  const judges = records.manifest.judges.map((judge) => ({ judge, verdicts: verdictsByAnswer(records, judge) }));
  return records.cases.map((item) => {
    const views: AnswerView[] = [];
    const missing: number[] = [];
    for (let run = 1; run <= records.manifest.runs; run += 1) {
      const record = answers.get(answerKey({ case_id: item.id, run }));
      if (record === undefined) missing.push(run);
      else addAnswer(views, run, viewAnswer(takeApart(item, record), judges));
    }
    const flags = flagsOf(views, missing);
    return { item, answers: views, missing, retrieval: retrievals.get(item.id), means: meansOf(scores, item), flags };
  });
}

type JudgeVerdicts = { judge: JudgeInfo; verdicts: Map<string, Verdict[]> }[];

function viewAnswer(apart: Answered, judges: JudgeVerdicts): AnswerView {
  return {
    runs: [],
    apart,
    outcome: decide(apart.case, apart.record),
    facts: apart.case.key_facts.map((fact) => ({ fact, stated: statesFact(apart.text, fact) })),
    judged: judges.map(({ judge, verdicts }) => {
      const own = verdicts.get(answerKey(apart.record)) ?? [];
      return { judge, result: faithfulness(apart, own), verdicts: own };
    }),
  };
}

/** Alike: the same text from the same passages, judged the same. */
function addAnswer(views: AnswerView[], run: number, view: AnswerView): void {
  const print = (one: AnswerView) => [
    one.apart.record.answer_hash,
    one.judged.map(({ verdicts }) => verdicts.map((item) => [item.sentence, item.citation, item.supported])),
  ];
  const same = views.find((other) => JSON.stringify(print(other)) === JSON.stringify(print(view)));
  if (same === undefined) views.push({ ...view, runs: [run] });
  else same.runs.push(run);
}

function flagsOf(answers: AnswerView[], missing: number[]): Set<Flag> {
  const flags = new Set<Flag>(missing.length > 0 ? ['missing'] : []);
  for (const answer of answers) {
    flags.add(answer.outcome);
    if (isWrong(answer)) flags.add('wrong');
    if (answer.apart.record.answer?.refused) flags.add('refused');
    if (answer.apart.spoke && unsupportedCount(answer) > 0) flags.add('unsupported');
  }
  return flags;
}

/** A wrong decision, a failure, or an answer without a fact it had to state. */
export function isWrong({ outcome, facts }: AnswerView): boolean {
  if (outcome === 'correct_refusal') return false;
  return outcome !== 'answered' || facts.some(({ fact, stated }) => fact.vital && !stated);
}

/** Sentences the first judge found unsupported; without a judge those that cite nothing. */
export function unsupportedCount({ apart, judged }: AnswerView): number {
  const first = judged[0];
  if (first === undefined) return apart.claims.filter((claim) => claim.citations.length === 0).length;
  return first.result.claims.filter((status) => status === 'unsupported').length;
}

function meansOf(scores: Scores, item: Case): Map<string, number | null> {
  return new Map([...scores].map(([name, perCase]) => [name, caseMean(perCase.get(item.id) ?? [])]));
}
