/** Sees every event of an answer pass: counts it, ends its trace, and writes its one line of the log. */
import type { AskDeps, Caller } from './ask.ts';
import type { Answer, AskEvent, AskRequest, ErrorEvent } from './contract.ts';
import { describeError } from './errors.ts';
import type { Fields } from './log.ts';
import type { AnswerTrace } from './telemetry.ts';

export interface AboutAnswer {
  traceId: string;
  request: AskRequest;
  caller: Caller;
  trace: AnswerTrace;
  /** Aborted when the client left or the service stops. */
  signal: AbortSignal;
  /** What was thrown, for the log alone. */
  cause(): unknown;
}

/** Passes everything on, unchanged and in order. */
export async function* observeAnswer(
  events: AsyncIterable<AskEvent>,
  deps: Pick<AskDeps, 'stats' | 'log' | 'logQuestions'>,
  about: AboutAnswer,
): AsyncGenerator<AskEvent> {
  let sources = 0;
  for await (const event of events) {
    if (event.event === 'sources') sources = event.data.sources.length;
    try {
      count(event, sources, deps, about);
    } catch (error) {
      // Whoever asked gets the last event, also when it cannot be counted.
      deps.log.error('an answer could not be counted', { trace_id: about.traceId, cause: describeError(error) });
    }
    yield event;
  }
}

function count(
  event: AskEvent,
  sources: number,
  deps: Pick<AskDeps, 'stats' | 'log' | 'logQuestions'>,
  about: AboutAnswer,
): void {
  if (event.event === 'done') {
    about.trace.end(event);
    deps.log.info('answer', { ...nameOf(about, deps.logQuestions), ...outcomeOf(event.data, sources) });
    deps.stats.done(event.data);
  } else if (event.event === 'error') {
    about.trace.end(event);
    failed(event.data, sources, deps, about);
  }
}

function failed(
  data: ErrorEvent,
  sources: number,
  { stats, log, logQuestions }: Pick<AskDeps, 'stats' | 'log' | 'logQuestions'>,
  about: AboutAnswer,
): void {
  const left = about.signal.aborted && data.code === 'cancelled';
  if (left) stats.cancelled();
  else stats.failed(data.stage);
  const fields = {
    ...nameOf(about, logQuestions),
    outcome: left ? 'cancelled' : 'error',
    stage: data.stage,
    code: data.code,
    sources,
    total_ms: Math.round((performance.now() - about.caller.arrived) * 1000) / 1000,
  };
  if (left) log.info('answer', fields);
  else log.error('answer', { ...fields, cause: describeError(about.cause()) });
}

function nameOf({ traceId, caller, request }: AboutAnswer, withQuestion: boolean): Fields {
  return {
    trace_id: traceId,
    request_id: caller.requestId,
    route: caller.route,
    ...(withQuestion ? { question: request.question } : {}),
  };
}

function outcomeOf(answer: Answer, sources: number): Fields {
  return {
    outcome: answer.refusal === null ? 'answer' : `refusal_${answer.refusal}`,
    truncated: answer.truncated,
    sources,
    citations: answer.citations.length,
    invalid_citations: answer.invalid_citations.length,
    ...answer.timings,
    ...answer.usage,
  };
}
