/**
 * A judge without a model: how much of the claim's content stands close together in the passage. It says no when it cannot tell.
 * The score is the share of the claim's content words and numbers found in the best window of sentences, lowered for each number that
 * the window lacks, each name that the passage lacks, each word turned into its opposite, each word that claims more, and a denial on one
 * side only. It cannot follow an inference, and does not notice roles that were swapped.
 */
import { splitSentences } from '../../service/sentences.ts';
import { sameToken } from '../metrics/tokens.ts';
import { oppositesIn, overstatements, turnsRound } from './conflicts.ts';
import { type Judge, type JudgeQuestion, judgeInfo, type Ruling } from './judge.ts';
import { joinWords, namesOf, type Words, wordsOf } from './words.ts';

/** Chosen on the dev split of cases/judge-pairs.jsonl; see docs/evaluation.md. */
export const LEXICAL_SETTINGS = {
  /** Raised with every change of the rules, so that verdicts of other rules are not reused. */
  version: 1,
  threshold: 0.55,
  /** Sentences of the passage that may support one claim together. */
  window: 3,
  /** What is left of the score for each of these. */
  missingNumber: 0.5,
  missingName: 0.7,
  opposite: 0.5,
  overstatement: 0.6,
  denial: 0.5,
} as const;
export type LexicalSettings = { readonly [name in keyof typeof LEXICAL_SETTINGS]: number };

/** Keeps the last passage taken apart: a run asks all its questions on one passage in a row. */
export function lexicalJudge(settings: LexicalSettings = LEXICAL_SETTINGS): Judge {
  let last: { context: string; words: Words[] } | null = null;
  return {
    info: judgeInfo({ name: 'lexical', model: 'none', prompt: 'share of the claim in the best window', settings }),
    concurrency: 1,
    judge: async (question) => {
      if (last?.context !== question.context)
        last = { context: question.context, words: sentenceWords(question.context) };
      return rule(lexicalScore(question, settings, last.words), settings);
    },
  };
}

/** 0..1; null when the claim has no content to look for. */
export function lexicalScore(
  { claim, context }: JudgeQuestion,
  settings: LexicalSettings = LEXICAL_SETTINGS,
  sentences: readonly Words[] = sentenceWords(context),
): number | null {
  const wanted = wordsOf(claim);
  if (wanted.stems.length + wanted.quantities.length === 0) return null;
  const window = bestWindow(wanted, sentences, settings.window);
  const closest = bestWindow(wanted, sentences, 1);
  const words = new Set(context.toLowerCase().match(/[\p{L}\p{N}_$]+/gu) ?? []);
  const lacking = wanted.quantities.filter((q) => !window.quantities.some((other) => sameToken(q, other))).length;
  return (
    shareOf(wanted, window) *
    settings.missingNumber ** lacking *
    settings.missingName ** namesOf(claim).filter((name) => !words.has(name)).length *
    settings.opposite ** oppositesIn(wanted, closest) *
    settings.overstatement ** overstatements(wanted, window) *
    (turnsRound(wanted, closest) ? settings.denial : 1)
  );
}

function sentenceWords(context: string): Words[] {
  return splitSentences(context).map((sentence) => wordsOf(sentence.text));
}

function rule(score: number | null, settings: LexicalSettings): Ruling {
  if (score === null) return { status: 'judged', supported: false, score: 0, reason: 'the claim has no content word' };
  const rounded = Math.round(score * 1e4) / 1e4;
  return { status: 'judged', supported: score >= settings.threshold, score: rounded, reason: null };
}

/** The run of at most `size` sentences that has most of what is wanted; the shortest, then the first, of equals. */
function bestWindow(wanted: Words, sentences: readonly Words[], size: number): Words {
  let best = joinWords([]);
  let share = -1;
  for (let length = 1; length <= size; length += 1) {
    for (let start = 0; start + length <= sentences.length; start += 1) {
      const window = joinWords(sentences.slice(start, start + length));
      const found = shareOf(wanted, window);
      if (found > share + 1e-9) [best, share] = [window, found];
    }
  }
  return best;
}

function shareOf(wanted: Words, window: Words): number {
  const stems = new Set(window.stems);
  const words = wanted.stems.filter((word) => stems.has(word)).length;
  const numbers = wanted.quantities.filter((q) => window.quantities.some((other) => sameToken(q, other))).length;
  return (words + numbers) / (wanted.stems.length + wanted.quantities.length);
}
