/** One question to the service: its events as they arrive. Nothing here touches the page. */

/** A failure with a sentence for the reader; `status` is that of HTTP where there was one. */
export class AskError extends Error {
  constructor(message, { status = 0, code = '', retryAfter = 0 } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** Yields `{event, data}`: `sources`, `token`…, then `done` or `error`. Throws AskError, or AbortError when stopped. */
export async function* ask(question, { key, signal }) {
  const response = await send(question, key, signal);
  if (!response.ok) throw await refusal(response);
  let ended = false;
  for await (const event of events(response.body)) {
    ended = event.event === 'done' || event.event === 'error';
    yield event;
    if (ended) return;
  }
  if (!ended) throw new AskError('The connection ended before the answer did.');
}

async function send(question, key, signal) {
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
  if (key !== '') headers.authorization = `Bearer ${key}`;
  try {
    return await fetch('ask', { method: 'POST', headers, body: JSON.stringify({ question }), signal });
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new AskError('The service cannot be reached. Is it still running?');
  }
}

async function refusal(response) {
  const body = await response.json().catch(() => null);
  const message = body?.error?.message ?? `The service answered with status ${response.status}.`;
  return new AskError(message, {
    status: response.status,
    code: body?.error?.code ?? '',
    retryAfter: Number(response.headers.get('retry-after') ?? 0),
  });
}

/** Server-sent events of a body; characters and lines may be cut anywhere between chunks. */
export async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split(/\r?\n\r?\n/);
      rest = blocks.pop();
      for (const block of blocks) {
        const event = parse(block);
        if (event !== null) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function parse(block) {
  let event = 'message';
  const data = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith('event:')) event = line.slice(6).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
  }
  return data.length === 0 ? null : { event, data: JSON.parse(data.join('\n')) };
}
