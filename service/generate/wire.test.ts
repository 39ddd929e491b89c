import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CodedError } from '../contract.ts';
import { createWire } from './wire.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** Says the pieces with that pause before each, and then nothing more, without an end. */
function saying(pieces: readonly string[], pauseMs = 0): Response {
  return new Response(
    new ReadableStream<Uint8Array>({
      async start(controller) {
        for (const piece of pieces) {
          await sleep(pauseMs);
          controller.enqueue(bytes(piece));
        }
      },
    }),
  );
}

async function readSlowly(response: Response, pauseMs: number, most = Number.POSITIVE_INFINITY): Promise<string[]> {
  const read: string[] = [];
  for await (const piece of response.body ?? []) {
    read.push(new TextDecoder().decode(piece));
    if (read.length === most) break;
    await sleep(pauseMs);
  }
  return read;
}

describe('the clock of the wire', () => {
  it('does not count the time of whoever is slow to read', async () => {
    const stalls: CodedError[] = [];
    const wire = createWire(60, (error) => stalls.push(error));
    wire.start();
    const pieces = ['data: a\n\n', 'data: b\n\n', 'data: c\n\n'];
    expect(await readSlowly(wire.watch(saying(pieces, 5)), 150, 3)).toEqual(pieces);
    wire.stop();
    expect(stalls).toEqual([]);
  });

  it('counts the silence of the server, before the first byte and after', async () => {
    const stalls: CodedError[] = [];
    const wire = createWire(40, (error) => stalls.push(error));
    wire.start();
    await sleep(80);
    expect(stalls).toHaveLength(1);
    const reading = wire.watch(saying(['data: a\n\n'])).body?.[Symbol.asyncIterator]();
    await reading?.next();
    reading?.next().catch(() => undefined);
    await sleep(80);
    wire.stop();
    expect(stalls.map((error) => error.message)).toEqual(Array(2).fill("The model's server was silent for 0.04 s."));
  });

  it('ends a stream that is over and not closed', async () => {
    const wire = createWire(60_000, () => expect.unreachable());
    expect(await readSlowly(wire.watch(saying(['data: a\n\n', 'data: [DO', 'NE]\n\n'])), 0)).toHaveLength(3);
    expect(wire.sawDone()).toBe(true);
    wire.stop();
  });
});
