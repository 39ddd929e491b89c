/** A stream that begins before it is read: the model is at work while the sources are written. */

export interface Begun<T> {
  /** To be read once; leaving the loop ends the stream. */
  events: AsyncIterable<T>;
  /** For whoever may not come to read it: ends what was begun, and does no harm to what has ended. */
  leave(): void;
}

export function begin<T>(source: AsyncIterable<T>): Begun<T> {
  const iterator = source[Symbol.asyncIterator]();
  const first = iterator.next();
  // Its failure is told when it is read.
  first.catch(() => undefined);
  async function* read(): AsyncGenerator<T> {
    try {
      for (let item = await first; !item.done; item = await iterator.next()) yield item.value;
    } finally {
      await iterator.return?.();
    }
  }
  return {
    events: read(),
    leave: () => {
      iterator.return?.().catch(() => undefined);
    },
  };
}
