/** Asks a running service and reads its stream of events. */
import { readSse } from '../harness/sse.ts';
import { type AskEvent, type AskRequest, CodedError, type ErrorCode } from '../service/contract.ts';

/** The events as the service sends them; a service that refuses or cannot be reached throws a sentence. */
export async function* askService(
  base: string,
  request: AskRequest,
  signal: AbortSignal,
  key?: string,
): AsyncGenerator<AskEvent> {
  const response = await post(base, request, signal, key);
  if (!response.ok || response.body === null) throw await refusal(response);
  let last: string | undefined;
  for await (const { event, data } of readSse(response.body)) {
    last = event;
    yield { event, data: JSON.parse(data) } as AskEvent;
  }
  if (last !== 'done' && last !== 'error') {
    throw new CodedError('unavailable', `The service at ${base} closed the stream before the answer was whole.`);
  }
}

async function post(
  base: string,
  request: AskRequest,
  signal: AbortSignal,
  key: string | undefined,
): Promise<Response> {
  if (!URL.canParse(base))
    throw new CodedError('bad_input', `--url is "${base}"; it must be an address such as http://127.0.0.1:8000.`);
  try {
    return await fetch(new URL('ask', base.endsWith('/') ? base : `${base}/`), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(request),
      signal,
    });
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new CodedError('unavailable', `No service answers at ${base}. Start one with: askdocs serve`, { cause });
  }
}

async function refusal(response: Response): Promise<CodedError> {
  const body = (await response.json().catch(() => null)) as { error?: { code?: string; message?: string } } | null;
  const message = body?.error?.message ?? `The service answered with status ${response.status}.`;
  return new CodedError((body?.error?.code ?? 'unavailable') as ErrorCode, message);
}
