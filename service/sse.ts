/** A response of server-sent events with backpressure: who sends waits for who reads, and not for ever. */

export interface SseOptions {
  /** Longest an event waits for a reader that does not read; then the connection is dropped. */
  slowReaderMs: number;
  /** Silence after which a comment goes out. */
  heartbeatMs: number;
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

export function createSse(options: SseOptions): SseStream {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let gone = false;
  let wake: () => void = () => undefined;
  const leave = () => {
    if (gone) return;
    gone = true;
    clearInterval(heartbeat);
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
  const enqueue = (text: string) => {
    controller.enqueue(encoder.encode(text));
    heartbeat.refresh();
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
      if (!gone) controller.close();
      gone = true;
    },
  };
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  connection: 'keep-alive',
};
