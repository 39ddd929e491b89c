/** `POST /ask`: one question in a slot of its own, answered as a stream of events or as one envelope. */
import type { Admission } from './admission.ts';
import { type AnswerDeps, answerQuestion } from './answer.ts';
import { type AskEnvelope, type AskEvent, type AskRequest, CodedError, type Source } from './contract.ts';
import { describeError, errorEnvelope, statusOf } from './errors.ts';
import { createSse } from './sse.ts';
import type { StatsRecorder } from './stats.ts';
import type { Work } from './work.ts';

export interface AskDeps extends AnswerDeps {
  admission: Admission;
  stats: StatsRecorder;
  work: Work;
  limits: { readonly slowReaderMs: number; readonly heartbeatMs: number };
}

/** Throws `busy` when every slot is taken; every other failure is in the response. `left` fires when the client is gone. */
export function ask(
  request: AskRequest,
  stream: boolean,
  deps: AskDeps,
  left: AbortSignal,
  arrived: number,
): Promise<Response> | Response {
  const lease = takeSlot(deps);
  const task = deps.work.begin(left);
  const events = observed(answerQuestion(request, deps, task.signal, arrived), deps, task.signal);
  const finish = () => {
    task.end();
    lease.release();
  };
  return stream ? streamed(events, deps, task.abort, finish) : collected(events, finish);
}

function takeSlot({ admission, stats }: AskDeps) {
  try {
    return admission.acquire();
  } catch (error) {
    stats.rejected();
    throw error;
  }
}

function streamed(events: AsyncIterable<AskEvent>, deps: AskDeps, abort: () => void, finish: () => void): Response {
  const sse = createSse({ ...deps.limits, onLeave: abort });
  const pump = async () => {
    try {
      // When the reader is gone, the loop still runs to the last event: only then the upstream is closed.
      for await (const { event, data } of events) await sse.send(event, data);
    } finally {
      finish();
      sse.end();
    }
  };
  pump().catch((error: unknown) => deps.log.error('a stream broke', { cause: describeError(error) }));
  return sse.response;
}

async function collected(events: AsyncIterable<AskEvent>, finish: () => void): Promise<Response> {
  let sources: Source[] = [];
  try {
    for await (const { event, data } of events) {
      if (event === 'sources') sources = data.sources;
      if (event === 'done')
        return json({ success: true, data: { ...data, sources }, error: null } satisfies AskEnvelope);
      if (event === 'error') return json(errorEnvelope(data), statusOf(data.code as CodedError['code']));
    }
  } finally {
    finish();
  }
  throw new CodedError('internal', 'The answer ended without a last event.');
}

/** Counts and logs what came out; passes everything on. */
async function* observed(
  events: AsyncIterable<AskEvent>,
  deps: AskDeps,
  signal: AbortSignal,
): AsyncGenerator<AskEvent> {
  for await (const event of events) {
    if (event.event === 'done') {
      deps.stats.done(event.data);
      const { trace_id, timings, usage, refusal, citations, truncated } = event.data;
      deps.log.info('answered', {
        trace_id,
        outcome: refusal ?? 'answer',
        citations: citations.length,
        truncated,
        ...timings,
        ...usage,
      });
    } else if (event.event === 'error') {
      if (signal.aborted && event.data.code === 'cancelled') deps.stats.cancelled();
      else deps.stats.failed(event.data.stage);
    }
    yield event;
  }
}

function json(body: unknown, status = 200): Response {
  return Response.json(body, { status });
}
