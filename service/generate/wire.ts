/**
 * Watches the raw bytes of one streamed answer, below the client library: silence, the proper end, and errors in the
 * form of older llama.cpp builds, none of which the library reports.
 */
import { CodedError } from '../contract.ts';

export interface Wire {
  /** Starts the clock; silence ends in `onStall`. */
  start(): void;
  /** The same response, whose body is watched on its way to the client library. */
  watch(response: Response): Response;
  /** True once `data: [DONE]` came. */
  sawDone(): boolean;
  /** What a line `error: …` said. */
  errorLine(): string | undefined;
  /** Stops the clock. */
  stop(): void;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** Comments (`: ping`) prove that the server lives; so many read timeouts of nothing else are a stall all the same. */
const PINGS_ALONE = 10;
/** A server that has said [DONE] may take this long to close; then the stream is ended here. */
const CLOSE_MS = 500;
/** Longest line: an answer comes in small pieces. */
const MAX_LINE = 1_000_000;

export function createWire(readTimeoutMs: number, onStall: (error: CodedError) => void): Wire {
  let done = false;
  let errorLine: string | undefined;
  let line = '';
  let lastData = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const wait = (ms: number, act: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(act, ms);
  };
  const stalled = () =>
    onStall(new CodedError('timeout', `The model's server was silent for ${readTimeoutMs / 1000} s.`));
  const takeLine = (text: string) => {
    if (text.startsWith('data:')) {
      lastData = performance.now();
      if (text.slice(5).trim() === '[DONE]') done = true;
    } else if (text.startsWith('error:')) errorLine ??= text.slice(6).trim();
  };
  const take = (chunk: Uint8Array) => {
    const lines = (line + Buffer.from(chunk).toString('latin1')).split(/\r?\n/);
    line = lines.pop() ?? '';
    for (const text of lines) takeLine(text);
    if (line.length > MAX_LINE)
      onStall(new CodedError('generation_failed', "The model's server sent a line without an end."));
    if (!done && performance.now() - lastData > PINGS_ALONE * readTimeoutMs) stalled();
  };
  /** The clock runs while the server is waited for, and stands still while whoever asked is slow to read. */
  const read = (reader: Reader) => {
    if (done) wait(CLOSE_MS, () => reader.cancel().catch(() => undefined));
    else wait(readTimeoutMs, stalled);
    return reader.read().finally(() => clearTimeout(timer));
  };
  async function* watched(reader: Reader): AsyncGenerator<Uint8Array> {
    try {
      for (let piece = await read(reader); !piece.done; piece = await read(reader)) {
        take(piece.value);
        yield piece.value;
      }
      takeLine(line);
    } finally {
      reader.cancel().catch(() => undefined);
    }
  }
  return {
    start: () => wait(readTimeoutMs, stalled),
    watch(response) {
      const reader = response.body?.getReader();
      if (reader === undefined) return response;
      // A stream of streams would cost every token two more turns of the event loop.
      return Object.defineProperty(response, 'body', { value: watched(reader) });
    },
    sawDone: () => done,
    errorLine: () => errorLine,
    stop: () => clearTimeout(timer),
  };
}
