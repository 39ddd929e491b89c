/** Reads the whole body of an answer stream and says whether it is as it must be. Plain: k6 and the tests run it. */

export interface StreamDone {
  refusal: 'gate' | 'model' | null;
  truncated: boolean;
  usage: { prompt_tokens: number; completion_tokens: number; cached_tokens?: number } | null;
  timings: { retrieval_ms: number; ttft_ms: number | null; generation_ms: number; total_ms: number };
}

export type StreamResult =
  | { end: 'done'; done: StreamDone }
  | { end: 'error'; message: string }
  /** Not ended, or not the format: never acceptable. */
  | { end: 'broken'; message: string };

/** `sources`, any number of `token`, then exactly one of `done` and `error`; the tokens are the answer. */
export function readStream(body: string): StreamResult {
  let said = '';
  let last: { name: string; data: Record<string, unknown> } | undefined;
  let started = false;
  for (const block of body.split('\n\n')) {
    if (block === '' || block.startsWith(':')) continue;
    const event = parseEvent(block);
    if (event === undefined) return broken(`not an event: ${block.slice(0, 80)}`);
    if (last !== undefined) return broken(`${event.name} after ${last.name}`);
    if (event.name === 'done' || event.name === 'error') last = event;
    else if (event.name === 'token') said += String(event.data.text);
    else if (event.name !== 'sources' || started) return broken(`an unexpected event ${event.name}`);
    started = true;
  }
  if (last === undefined) return broken('the stream ended without done or error');
  if (!body.endsWith('\n\n')) return broken('the last event is cut');
  if (last.name === 'error') return { end: 'error', message: String(last.data.message) };
  if (last.data.answer !== said) return broken('the tokens are not the answer');
  return { end: 'done', done: last.data as unknown as StreamDone };
}

function parseEvent(block: string): { name: string; data: Record<string, unknown> } | undefined {
  const match = /^event: (\w+)\ndata: (.*)$/.exec(block);
  if (match === null) return undefined;
  try {
    return { name: match[1] ?? '', data: JSON.parse(match[2] ?? '') };
  } catch {
    return undefined;
  }
}

function broken(message: string): StreamResult {
  return { end: 'broken', message };
}
