/** A response of server-sent events with backpressure: who sends waits for who reads, and not for ever. */

export interface SseOptions {
  /** Longest an event waits for a reader that does not read; then the connection is dropped. */
  slowReaderMs: number;
  /** Silence after which a comment goes out. */
  heartbeatMs: number;
  /** For a client of HTTP/1.0, which is nginx as it comes: fills its buffers, so that it passes on what it has. */
  padded?: boolean;
  /** Called once when the reader is gone, by leaving or by being dropped. */
  onLeave(): void;
}

export interface SseStream {
  response: Response;
  /** Resolves when there is room again; false when the reader is gone. */
  send(event: string, data: unknown): Promise<boolean>;
  /** The same with the text of one event, or of several, as it goes over the wire. */
  write(text: string): Promise<boolean>;
  end(): void;
}

/** Events that may wait in memory; beyond it `send` waits. The socket's own buffer comes on top. */
const QUEUED = 8;
/**
 * nginx heeds X-Accel-Buffering and keeps it to itself: a second nginx before the first holds back what does not fill a
 * buffer, and its buffers are one page each. A comment of a page after what was sent pushes all of it out.
 */
const PADDING = `:${' '.repeat(4096)}\n\n`;
/** Events within this time share one padding: 100 KB a second at most. */
const PAD_MS = 40;

export function createSse(options: SseOptions): SseStream {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let gone = false;
  let wake: () => void = () => undefined;
  const leave = () => {
    if (gone) return;
    gone = true;
    clearInterval(heartbeat);
    clearTimeout(padding);
    options.onLeave();
    wake();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start: (opened) => {
        controller = opened;
      },
      pull: () => wake(),
      cancel: leave,
    },
    { highWaterMark: QUEUED },
  );
  let padding: NodeJS.Timeout | undefined;
  const pad = () => {
    padding = undefined;
    if (!gone && (controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(PADDING));
  };
  const enqueue = (text: string) => {
    controller.enqueue(encoder.encode(text));
    heartbeat.refresh();
    if (options.padded === true) padding ??= setTimeout(pad, PAD_MS);
  };
  const heartbeat = setInterval(() => {
    if (!gone && (controller.desiredSize ?? 0) > 0) enqueue(': ping\n\n');
  }, options.heartbeatMs);
  heartbeat.unref();
  // A first comment takes the headers along: a proxy or a client sees at once that the request was accepted.
  enqueue(': askdocs\n\n');

  const roomOrGone = async (): Promise<void> => {
    const deadline = setTimeout(() => {
      controller.error(new Error('The reader stopped reading.'));
      leave();
    }, options.slowReaderMs);
    while (!gone && (controller.desiredSize ?? 0) <= 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    clearTimeout(deadline);
  };
  const write = async (text: string): Promise<boolean> => {
    if (gone) return false;
    enqueue(text);
    if ((controller.desiredSize ?? 0) <= 0) await roomOrGone();
    return !gone;
  };
  return {
    response: new Response(body, { headers: HEADERS }),
    send: (event, data) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    write,
    end() {
      clearInterval(heartbeat);
      clearTimeout(padding);
      if (!gone) controller.close();
      gone = true;
    },
  };
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};
