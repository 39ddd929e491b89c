/**
 * Was it right to answer, or to refuse? From the labels alone: an answerable question must be answered, any other refused.
 * right_decision is 1 or 0 for every case; wrong_refusal is measured over answerable questions, wrong_answer over the others.
 * A service error is neither an answer nor a refusal: wrong for right_decision, and counted in its own row. Smallest n: 1 case.
 * Reference: the confusion matrix of selective question answering (Rajpurkar et al. 2018, SQuAD 2.0).
 */
import { type AnswerRecord, type Case, isAnswerable, type RefusalMatrix } from '../schema.ts';

export function decide(item: Case, record: AnswerRecord): keyof RefusalMatrix {
  if (record.answer === null) return 'error';
  if (isAnswerable(item)) return record.answer.refused ? 'wrong_refusal' : 'answered';
  return record.answer.refused ? 'correct_refusal' : 'wrongly_answered';
}

export function rightDecision(item: Case, record: AnswerRecord): number {
  const outcome = decide(item, record);
  return outcome === 'answered' || outcome === 'correct_refusal' ? 1 : 0;
}

export function wrongRefusal(item: Case, record: AnswerRecord): number | null {
  const outcome = decide(item, record);
  return !isAnswerable(item) || outcome === 'error' ? null : Number(outcome === 'wrong_refusal');
}

export function wrongAnswer(item: Case, record: AnswerRecord): number | null {
  const outcome = decide(item, record);
  return isAnswerable(item) || outcome === 'error' ? null : Number(outcome === 'wrongly_answered');
}

export function emptyMatrix(): RefusalMatrix {
  return { answered: 0, wrong_refusal: 0, correct_refusal: 0, wrongly_answered: 0, error: 0 };
}
