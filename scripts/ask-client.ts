/** Asks a running service and reads its stream of events. */
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
  for await (const event of readEvents(response.body)) {
    last = event.event;
    yield event;
  }
  if (last !== 'done' && last !== 'error') {
    throw new CodedError('unavailable', `The service at ${base} closed the stream before the answer was whole.`);
  }
}

/** Server-sent events: blocks divided by a blank line; comments and unknown fields are skipped. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<AskEvent> {
  const decoder = new TextDecoder();
  let buffer = '';
  for await (const chunk of body) {
    buffer += decoder.decode(chunk, { stream: true });
    const blocks = buffer.split(/\r?\n\r?\n/);
    buffer = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = /^event: ?(.*)$/m.exec(block)?.[1];
      const data = [...block.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join('\n');
      if (event !== undefined && data !== '') yield { event, data: JSON.parse(data) } as AskEvent;
    }
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
