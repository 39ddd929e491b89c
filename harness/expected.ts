/** The questions that the answers of a run put to a judge. */
import { stripCitations } from '../service/citations.ts';
import { passageHash, type RunRecords } from './run.ts';
import type { Verdict } from './schema.ts';
import { takeAllApart } from './score.ts';

/** One question to a judge: a claim of an answer and one passage it cites. */
export type ExpectedVerdict = Pick<
  Verdict,
  'case_id' | 'run' | 'answer_hash' | 'sentence' | 'text' | 'citation' | 'passage_hash'
>;

/** Every question the answers of a run make, in order. */
export function expectedVerdicts(records: Pick<RunRecords, 'cases' | 'answers'>): ExpectedVerdict[] {
  return [...takeAllApart(records).values()].flatMap(({ record, claims, shown }) =>
    claims.flatMap((claim, sentence) =>
      claim.citations.flatMap((n) => {
        const source = shown.find((item) => item.n === n);
        if (source === undefined) return [];
        const { case_id, run, answer_hash } = record;
        const text = stripCitations(claim.text).trim();
        return [{ case_id, run, answer_hash, sentence, text, citation: n, passage_hash: passageHash(source) }];
      }),
    ),
  );
}

export function verdictKey(item: Pick<Verdict, 'case_id' | 'run' | 'sentence' | 'citation'>): string {
  return `${item.case_id}#${item.run}:${item.sentence}:${item.citation}`;
}
