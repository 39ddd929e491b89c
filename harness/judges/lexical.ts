/**
 * A judge without a model: how much of the claim's content stands close together in the passage. It says no when it cannot tell.
 * The score is the share of the claim's content words found in the best window of sentences, lowered for each number or name that
 * the passage does not have and for a denial on one side only.
 */
import { splitSentences } from '../../service/sentences.ts';
import { sameToken } from '../metrics/tokens.ts';
import { type Judge, type JudgeQuestion, judgeInfo, type Ruling } from './judge.ts';
import { namesOf, type Words, wordsOf } from './words.ts';

/** Chosen on cases/judge-pairs.jsonl; see docs/evaluation.md. */
export const LEXICAL_SETTINGS = {
  version: 1,
  threshold: 0.6,
  /** Sentences of the passage that may support one claim together. */
  window: 3,
  /** What is left of the score for each number of the claim that the window lacks, and for each name the passage lacks. */
  missingNumber: 0.5,
  missingName: 0.8,
  /** What is left when only one of claim and window denies something. */
  otherPolarity: 0.7,
} as const;
type Settings = { readonly [name in keyof typeof LEXICAL_SETTINGS]: number };

export function lexicalJudge(settings: Settings = LEXICAL_SETTINGS): Judge {
  return {
    info: judgeInfo({ name: 'lexical', model: 'none', prompt: 'window overlap', settings: { ...settings } }),
    concurrency: 1,
    judge: async (question) => rule(question, settings),
  };
}

/** 0..1; null when the claim has no content to look for. */
export function lexicalScore({ claim, context }: JudgeQuestion, settings: Settings = LEXICAL_SETTINGS): number | null {
  const wanted = wordsOf(claim);
  if (wanted.stems.length + wanted.quantities.length === 0) return null;
  const sentences = splitSentences(context).map((sentence) => wordsOf(sentence.text));
  let best = 0;
  for (let start = 0; start < sentences.length; start += 1) {
    for (let size = 1; size <= settings.window && start + size <= sentences.length; size += 1) {
      best = Math.max(best, windowScore(wanted, sentences.slice(start, start + size), settings));
    }
  }
  const all = new Set(context.toLowerCase().match(/[\p{L}\p{N}_$]+/gu) ?? []);
  const missing = namesOf(claim).filter((name) => !all.has(name)).length;
  return best * settings.missingName ** missing;
}

function rule(question: JudgeQuestion, settings: Settings): Ruling {
  const score = lexicalScore(question, settings);
  if (score === null) return { status: 'judged', supported: false, score: 0, reason: 'the claim has no content word' };
  return {
    status: 'judged',
    supported: score >= settings.threshold,
    score: Math.round(score * 1e4) / 1e4,
    reason: null,
  };
}

function windowScore(wanted: Words, window: Words[], settings: Settings): number {
  const stems = new Set(window.flatMap((words) => words.stems));
  const quantities = window.flatMap((words) => words.quantities);
  const found = wanted.stems.filter((word) => stems.has(word)).length;
  const lacking = wanted.quantities.filter((q) => !quantities.some((other) => sameToken(q, other))).length;
  const share = (found + wanted.quantities.length - lacking) / (wanted.stems.length + wanted.quantities.length);
  const denied = window.some((words) => words.negations > 0);
  const turned = wanted.negations > 0 !== denied && (wanted.negations > 0 || window.length === 1);
  return share * settings.missingNumber ** lacking * (turned ? settings.otherPolarity : 1);
}
