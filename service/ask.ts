/** One question in a slot of its own: opened the same way for every API, and `POST /ask` over it. */
import { randomBytes } from 'node:crypto';
import type { Admission } from './admission.ts';
import { type AnswerDeps, answerQuestion } from './answer.ts';
import { type AskEnvelope, type AskEvent, type AskRequest, CodedError, type Source } from './contract.ts';
import { describeError, errorEnvelope, statusOf } from './errors.ts';
import { observeAnswer } from './observe.ts';
import { createSse } from './sse.ts';
import type { StatsRecorder } from './stats.ts';
import type { Telemetry } from './telemetry.ts';
import type { Work } from './work.ts';

export interface AskDeps extends AnswerDeps {
  admission: Admission;
  stats: StatsRecorder;
  work: Work;
  telemetry: Telemetry;
  /** Whether the log may hold questions. */
  logQuestions: boolean;
  limits: { readonly slowReaderMs: number; readonly heartbeatMs: number };
}

/** Who asks, and how. */
export interface Caller {
  /** Method and path, as spans and log lines call it. */
  route: string;
  requestId: string;
  /** W3C trace context of the caller, if any. */
  traceparent?: string | undefined;
  /** Fires when the client is gone. */
  left: AbortSignal;
  /** performance.now() of the request's arrival. */
  arrived: number;
  /** Whether a stream is padded for a proxy that buffers. */
  padded?: boolean;
}

/** An answer under way. Whoever holds it reads the events to the last one and then calls `finish`. */
export interface OpenAnswer {
  traceId: string;
  /** `sources`, `token`*, then one `done` or `error`; never throws. */
  events: AsyncIterable<AskEvent>;
  /** The client is gone: the events go on to their last, which comes soon. */
  abort(): void;
  /** Frees the slot. */
  finish(): void;
  padded: boolean;
}

/** Throws `busy` when every slot is taken; every later failure is an event. */
export function openAnswer(request: AskRequest, deps: AskDeps, caller: Caller): OpenAnswer {
  const trace = deps.telemetry.begin(caller);
  const traceId = trace.traceId ?? randomBytes(16).toString('hex');
  const lease = takeSlot(deps, trace.refused);
  const task = deps.work.begin(caller.left);
  let thrown: unknown;
  const onFailure = (error: unknown) => {
    thrown = error;
  };
  const events = answerQuestion(
    request,
    { ...deps, ...trace.wrap(deps), traceId, onFailure },
    task.signal,
    caller.arrived,
  );
  const about = { traceId, request, caller, trace, signal: task.signal, cause: () => thrown };
  return {
    traceId,
    events: observeAnswer(events, deps, about),
    padded: caller.padded === true,
    abort: task.abort,
    finish() {
      task.end();
      lease.release();
    },
  };
}

/** `POST /ask`, as a stream of events or as one envelope. */
export function ask(request: AskRequest, stream: boolean, deps: AskDeps, caller: Caller): Promise<Response> | Response {
  const answer = openAnswer(request, deps, caller);
  return stream ? streamed(answer, deps) : collected(answer);
}

/** Runs to the last event, whether or not somebody still reads: only then the upstream is closed. */
export function streamAnswer(
  answer: OpenAnswer,
  deps: AskDeps,
  send: (sse: ReturnType<typeof createSse>, event: AskEvent) => Promise<unknown>,
): Response {
  const sse = createSse({ ...deps.limits, padded: answer.padded, onLeave: answer.abort });
  const pump = async () => {
    try {
      for await (const event of answer.events) await send(sse, event);
    } finally {
      answer.finish();
      sse.end();
    }
  };
  pump().catch((error: unknown) => deps.log.error('a stream broke', { cause: describeError(error) }));
  return sse.response;
}

function streamed(answer: OpenAnswer, deps: AskDeps): Response {
  return streamAnswer(answer, deps, (sse, { event, data }) => sse.send(event, data));
}

/** The whole answer: its sources and its last event. */
export async function collectAnswer(answer: OpenAnswer) {
  let sources: Source[] = [];
  try {
    for await (const event of answer.events) {
      if (event.event === 'sources') sources = event.data.sources;
      if (event.event === 'done' || event.event === 'error') return { sources, last: event };
    }
  } finally {
    answer.finish();
  }
  throw new CodedError('internal', 'The answer ended without a last event.');
}

async function collected(answer: OpenAnswer): Promise<Response> {
  const { sources, last } = await collectAnswer(answer);
  if (last.event === 'error') return json(errorEnvelope(last.data), statusOf(last.data.code as CodedError['code']));
  return json({ success: true, data: { ...last.data, sources }, error: null } satisfies AskEnvelope);
}

function takeSlot({ admission, stats }: AskDeps, refused: (error: unknown) => void) {
  try {
    return admission.acquire();
  } catch (error) {
    stats.rejected();
    refused(error);
    throw error;
  }
}

function json(body: unknown, status = 200): Response {
  return Response.json(body, { status });
}
