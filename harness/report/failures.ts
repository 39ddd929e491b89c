/** What went wrong with which answer, in words: the list a person works through first. */
import { stripCitations } from '../../service/citations.ts';
import type { Answered } from '../metrics/answered.ts';
import { decide } from '../metrics/decision.ts';
import { statesFact } from '../metrics/facts.ts';
import { faithfulness } from '../metrics/faithfulness.ts';
import { answerKey, type RunRecords } from '../run.ts';
import { takeAllApart, verdictsByAnswer } from '../score.ts';

export interface Failure {
  case_id: string;
  run: number;
  what: string[];
}

/** Cases that failed in any repetition: an error, a wrong decision, a vital fact missing, a citation out of range, a claim unsupported. */
export function failuresOf(records: RunRecords): Failure[] {
  const judge = records.manifest.judges[0];
  const verdicts = judge === undefined ? null : verdictsByAnswer(records, judge);
  return [...takeAllApart(records).values()].flatMap((item) => {
    const what = decisionFailure(item);
    if (item.spoke && what.length === 0) {
      what.push(...factFailures(item));
      if (item.invalid.length > 0)
        what.push(`cites ${item.invalid.map((n) => `[${n}]`).join(' ')}, which no source has`);
    }
    if (item.spoke && verdicts !== null) what.push(...claimFailures(item, verdicts.get(answerKey(item.record)) ?? []));
    return what.length === 0 ? [] : [{ case_id: item.case.id, run: item.record.run, what }];
  });
}

function decisionFailure(item: Answered): string[] {
  const { error } = item.record;
  const outcome = decide(item.case, item.record);
  if (error !== null) return [`error in ${error.stage}: ${error.message}`];
  if (outcome === 'wrong_refusal') return [`refused by the ${item.record.answer?.refusal ?? 'service'}`];
  return outcome === 'wrongly_answered' ? ['answered what the documents do not answer'] : [];
}

function factFailures(item: Answered): string[] {
  const missing = item.case.key_facts.filter((fact) => fact.vital && !statesFact(item.text, fact));
  return missing.map((fact) => `does not state "${fact.any[0]}"`);
}

function claimFailures(item: Answered, verdicts: Parameters<typeof faithfulness>[1]): string[] {
  const { claims } = faithfulness(item, verdicts);
  return claims.flatMap((status, index) => {
    const text = stripCitations(item.claims[index]?.text ?? '')
      .replace(/\s+/g, ' ')
      .trim();
    return status === 'supported' ? [] : [`${status}: "${text.length > 90 ? `${text.slice(0, 89)}…` : text}"`];
  });
}
