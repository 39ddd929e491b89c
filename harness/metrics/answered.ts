/** One answer with its case, taken apart once for all metrics. */
import { type CitedSentence, checkCitations, stripCitations } from '../../service/citations.ts';
import type { Source } from '../../service/contract.ts';
import type { AnswerRecord, Case } from '../schema.ts';

export interface Answered {
  case: Case;
  record: AnswerRecord;
  /** Neither a refusal nor an error. */
  spoke: boolean;
  /** What was said, citations taken out; empty for a refusal or an error. */
  text: string;
  /** The sentences that claim something, with the citations of theirs that exist. */
  claims: CitedSentence[];
  /** Numbers cited that no source has. */
  invalid: number[];
  /** The passages the model was shown. */
  shown: Source[];
}

export function takeApart(item: Case, record: AnswerRecord): Answered {
  const shown = record.sources.filter((source) => source.used);
  const spoke = record.answer !== null && !record.answer.refused;
  const said = spoke ? (record.answer?.answer ?? '') : '';
  const checked = checkCitations(
    said,
    shown.map((source) => source.n),
  );
  return {
    case: item,
    record,
    spoke,
    text: stripCitations(said),
    claims: checked.sentences,
    invalid: checked.invalid,
    shown,
  };
}
