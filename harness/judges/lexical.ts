/**
 * A judge without a model: a logistic score of what can be counted (`features.ts`), most of all how much of the claim's content, its rare
 * words before its common ones, stands close together in the passage, and in which order; less for names and numbers the passage lacks and for
 * words that contradict it. It cannot follow an inference, and hardly notices roles that were swapped. It says no when it cannot tell.
 */
import { splitSentences } from '../../service/sentences.ts';
import { type Counted, countFeatures, FEATURES } from './features.ts';
import { type Judge, type JudgeQuestion, judgeInfo, type Ruling } from './judge.ts';
import { LEXICAL_WEIGHTS } from './lexical-weights.ts';
import { type Passage, passageOf } from './match.ts';

export const LEXICAL_SETTINGS = {
  /** Raised with every change of the rules, so that verdicts of other rules are not reused. */
  version: 3,
  /** Least score that counts as yes: chosen on public sets, see docs/evaluation.md. */
  threshold: 0.57,
  /** Sentences of the passage that may support one claim together. */
  window: 3,
} as const;
export type LexicalSettings = { readonly [name in keyof typeof LEXICAL_SETTINGS]: number };

/** Keeps the last passage taken apart: a run asks all its questions on one passage in a row. */
export function lexicalJudge(settings: LexicalSettings = LEXICAL_SETTINGS): Judge {
  let last: { context: string; passage: Passage } | null = null;
  return {
    // Version and weights count as the prompt: with others, `gate check` says that recorded verdicts are of another judge.
    info: judgeInfo({
      name: 'lexical',
      model: 'none',
      prompt: {
        rules: 'logistic score of what claim and passage share',
        version: settings.version,
        weights: LEXICAL_WEIGHTS,
      },
      settings: { ...settings },
    }),
    concurrency: 1,
    judge: async (question) => {
      if (last?.context !== question.context)
        last = { context: question.context, passage: passageOf(question.context) };
      return rule(question, settings, last.passage);
    },
  };
}

/** A claim of several sentences is as good as its worst; a question before an answer states nothing. */
function rule({ claim }: JudgeQuestion, settings: LexicalSettings, passage: Passage): Ruling {
  const parts = statementsOf(claim).flatMap((text) => countFeatures(text, passage, settings.window) ?? []);
  const scored = parts.map((counted) => ({ counted, score: scoreOf(counted) })).sort((a, b) => a.score - b.score);
  const worst = scored[0];
  if (worst === undefined)
    return { status: 'judged', supported: false, score: 0, reason: 'the claim has no content word' };
  const score = Math.round(worst.score * 1e4) / 1e4;
  return { status: 'judged', supported: score >= settings.threshold, score, reason: reasonOf(worst.counted) };
}

function statementsOf(claim: string): string[] {
  const sentences = splitSentences(claim).map(({ text }) => text);
  const statements = sentences.filter((text) => !/[?？][\s"'”’)]*$/.test(text));
  return statements.length > 0 ? statements : sentences;
}

/** 0..1. */
export function scoreOf({ features }: Counted): number {
  let sum: number = LEXICAL_WEIGHTS.bias;
  for (const feature of FEATURES) sum += LEXICAL_WEIGHTS[feature] * features[feature];
  return 1 / (1 + Math.exp(-sum));
}

/** What was found, the gravest first. */
function reasonOf({ features, found }: Counted): string {
  const parts = [
    found.replaced.length > 0 ? `another word stands for ${list(found.replaced)}` : '',
    found.numbers.length > 0 ? `no number ${list(found.numbers)}` : '',
    found.names.length > 0 ? `no name ${list(found.names)}` : '',
    features.denial > 0 ? 'denied on one side only' : '',
    features.opposites + features.kinds > 0 ? 'a word turned into another of its kind' : '',
    features.strong > 0 ? 'claims more' : '',
    `${Math.round(features.window * 100)}% of the claim in one place`,
    found.missing.length > 0 ? `without ${list(found.missing)}` : '',
  ];
  return parts.filter((part) => part !== '').join('; ');
}

function list(words: readonly string[]): string {
  return words.length > 4 ? `${words.slice(0, 4).join(', ')} …` : words.join(', ');
}
