/**
 * `fetch` as far as the client library needs it to talk to a server near by, over node:http. Node's own takes about half a
 * millisecond more for each request (docs/performance.md); it also follows redirects and unpacks, which llama.cpp does not ask for.
 */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';

/** Idle connections are closed before servers close theirs, after 5 s as a rule: a request would meet the closed one. */
const IDLE_MS = 4000;
const KEEP = { keepAlive: true, timeout: IDLE_MS };
const PLAIN = { send: http.request, agent: new http.Agent(KEEP) };
const SECURE = { send: https.request, agent: new https.Agent(KEEP) };

/** The body, if any, is text. Rejects, and breaks the stream, with the signal's reason once that fires. */
export function httpFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const url = new URL(input instanceof Request ? input.url : input);
  const signal = init.signal ?? undefined;
  const body = typeof init.body === 'string' ? init.body : '';
  const headers = Object.fromEntries(new Headers(init.headers));
  headers['content-length'] = String(Buffer.byteLength(body));
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const { send, agent } = url.protocol === 'https:' ? SECURE : PLAIN;
    const request = send(url, { method: init.method ?? 'GET', headers, agent, signal });
    request.on('error', (error) => reject(signal?.aborted ? signal.reason : error));
    request.on('response', (response) => {
      try {
        resolve(responseOf(response, signal));
      } catch (error) {
        // A status or a header that HTTP does not know.
        request.destroy();
        reject(error);
      }
    });
    request.end(body);
  });
}

function responseOf(message: IncomingMessage, signal: AbortSignal | undefined): Response {
  const status = message.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const isEmpty = status === 204 || status === 205 || status === 304;
  if (isEmpty) message.resume();
  return new Response(isEmpty ? null : streamOf(message, signal), { status, headers });
}

/** Reads on only as long as somebody takes what was read. */
function streamOf(message: IncomingMessage, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  let isOver = false;
  const finish = (end: () => void) => {
    if (!isOver) end();
    isOver = true;
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const broken = (error: Error) => controller.error(signal?.aborted ? signal.reason : error);
      message.on('data', (piece: Uint8Array) => {
        if (isOver) return;
        controller.enqueue(piece);
        if ((controller.desiredSize ?? 0) <= 0) message.pause();
      });
      message.on('end', () => finish(() => controller.close()));
      message.on('error', (error) => finish(() => broken(error)));
      message.on('close', () => finish(() => broken(new Error('The connection was closed before the end.'))));
    },
    pull() {
      message.resume();
    },
    cancel() {
      isOver = true;
      message.destroy();
    },
  });
}
