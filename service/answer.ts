/** The pipeline of one question, as the events of its stream: retrieve, gate, prepare, generate, cite. */
import { randomBytes } from 'node:crypto';
import { type Begun, begin } from './begun.ts';
import { checkCitations, isRefusal } from './citations.ts';
import {
  type Answer,
  type AskEvent,
  type AskRequest,
  CodedError,
  type Evidence,
  REFUSAL_SENTENCE,
  type Source,
  type Stage,
  type Usage,
} from './contract.ts';
import { failureOf } from './errors.ts';
import type { GenerationEvent, Provider } from './generate/provider.ts';
import type { Logger } from './log.ts';
import { quoteFinder } from './quotes.ts';
import type { Retriever } from './retrieve/client.ts';
import type { Retrieved } from './retrieve/passages.ts';

export interface AnswerDeps {
  retriever: Retriever;
  provider: Provider;
  topK: number;
  /** US dollars per million tokens. */
  prices: { input: number; output: number };
  log: Logger;
  /** What the answer is called, or undefined for a new random name. */
  traceId?: string | undefined;
  /** Is told what was thrown when the answer fails: the event has only what is fit to be shown. */
  onFailure?: ((error: unknown) => void) | undefined;
}

/** How many of the passages that came closest a refusal by the gate shows. */
const NEAREST = 3;
const NOTHING_FITS =
  "Not one passage fits the model's context; give the server a larger one, or lower ASKDOCS_LLM_MAX_TOKENS.";
const EMPTY = {
  none: 'The answer ended before it was whole.',
  stop: 'The model gave an empty answer.',
  length:
    'The model reached its limit of tokens before the first word of an answer; if it thinks first, raise ASKDOCS_LLM_MAX_TOKENS or turn its thinking off.',
} as const;
const NO_USAGE: Usage = { prompt_tokens: 0, completion_tokens: 0 };

/**
 * Yields `sources`, any number of `token`, then exactly one of `done` or `error`, whatever fails. Never throws. When
 * the signal fires, everything upstream is closed before the last event. `arrived`: performance.now() of the request.
 */
export async function* answerQuestion(
  request: AskRequest,
  deps: AnswerDeps,
  signal: AbortSignal,
  arrived: number = performance.now(),
): AsyncGenerator<AskEvent, void, undefined> {
  const turn = new Turn(arrived, deps.traceId);
  let generation: Begun<GenerationEvent> | undefined;
  try {
    const found = await deps.retriever.search(request.question, request.k ?? deps.topK, signal);
    turn.retrieved();
    if (found.passages.length === 0) {
      yield* refuseByGate(turn, found);
      return;
    }
    turn.stage = 'generation';
    const prepared = await deps.provider.prepare(request.question, found.passages, signal);
    if (prepared.sources.some((source) => source.used)) generation = begin(deps.provider.generate(prepared, signal));
    yield { event: 'sources', data: { sources: prepared.sources } };
    if (generation === undefined) throw new CodedError('context_overflow', NOTHING_FITS);
    let end: { finish: 'stop' | 'length'; usage: Usage | null } | undefined;
    for await (const event of generation.events) {
      if (event.type === 'end') end = event;
      else if (event.text !== '') yield turn.token(event.text);
    }
    if (end === undefined || turn.text.trim() === '') {
      throw new CodedError('generation_failed', EMPTY[end?.finish ?? 'none']);
    }
    turn.stage = 'internal';
    yield { event: 'done', data: turn.finish(prepared.sources, end, deps.prices) };
  } catch (error) {
    const thrown = signal.aborted && signal.reason instanceof CodedError ? signal.reason : error;
    deps.onFailure?.(thrown);
    yield turn.fail(thrown);
  } finally {
    generation?.leave();
  }
}

async function* refuseByGate(turn: Turn, found: Retrieved): AsyncGenerator<AskEvent> {
  yield { event: 'sources', data: { sources: [] } };
  yield turn.token(REFUSAL_SENTENCE);
  const answer = turn.finish([], { finish: 'stop', usage: NO_USAGE }, { input: 0, output: 0 });
  yield { event: 'done', data: { ...answer, refusal: 'gate', nearest: found.below_gate.slice(0, NEAREST) } };
}

/** What one answer has come to so far. */
class Turn {
  readonly traceId: string;
  stage: Stage = 'retrieval';
  text = '';
  private readonly arrived: number;
  private retrievedAt: number | undefined;
  private firstTokenAt: number | undefined;

  constructor(arrived: number, traceId = randomBytes(16).toString('hex')) {
    this.arrived = arrived;
    this.traceId = traceId;
  }

  retrieved(): void {
    this.retrievedAt = performance.now();
  }

  token(text: string): AskEvent {
    this.firstTokenAt ??= performance.now();
    this.text += text;
    return { event: 'token', data: { text } };
  }

  finish(
    sources: readonly Source[],
    end: { finish: string; usage: Usage | null },
    prices: AnswerDeps['prices'],
  ): Answer {
    const now = performance.now();
    const retrievedAt = this.retrievedAt ?? now;
    const refused = isRefusal(this.text);
    const used = sources.filter((source) => source.used);
    const checked = checkCitations(
      this.text,
      used.map((source) => source.n),
    );
    return {
      answer: this.text,
      citations: checked.citations,
      invalid_citations: checked.invalid,
      refused,
      refusal: refused ? 'model' : null,
      truncated: end.finish === 'length',
      usage: end.usage,
      timings: {
        retrieval_ms: round(retrievedAt - this.arrived),
        ttft_ms: this.firstTokenAt === undefined ? null : round(this.firstTokenAt - this.arrived),
        generation_ms: round(now - retrievedAt),
        total_ms: round(now - this.arrived),
      },
      trace_id: this.traceId,
      cost_usd: costOf(end.usage, prices),
      evidence: refused ? [] : gatherEvidence(checked.sentences, used),
      nearest: [],
    };
  }

  fail(error: unknown): AskEvent {
    const failure = failureOf(error, this.stage);
    return {
      event: 'error',
      data: { ...failure, ...(this.text === '' ? {} : { partial: this.text }), trace_id: this.traceId },
    };
  }
}

function gatherEvidence(
  sentences: ReturnType<typeof checkCitations>['sentences'],
  sources: readonly Source[],
): Evidence[] {
  const texts = new Map(sources.map((source) => [source.n, source.text]));
  // A passage is taken apart when the first sentence cites it: most are not cited, and others' tokens wait meanwhile.
  const finders = new Map<number, ReturnType<typeof quoteFinder>>();
  const quoteOf = (n: number, sentence: string) => {
    const finder = finders.get(n) ?? quoteFinder(texts.get(n) ?? '');
    finders.set(n, finder);
    return finder(sentence);
  };
  return sentences.map((sentence) => ({
    sentence: sentence.text,
    start: sentence.start,
    end: sentence.end,
    citations: sentence.citations.map((n) => ({ n, quote: quoteOf(n, sentence.text) })),
  }));
}

function costOf(usage: Usage | null, prices: AnswerDeps['prices']): number | null {
  if (usage === null) return null;
  return (usage.prompt_tokens * prices.input + usage.completion_tokens * prices.output) / 1_000_000;
}

/** Tenths of a microsecond are noise. */
function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
