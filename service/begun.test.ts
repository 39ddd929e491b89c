import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { answerQuestion } from './answer.ts';
import { begin } from './begun.ts';
import { passageSchema } from './contract.ts';
import type { Provider } from './generate/provider.ts';
import { silentLogger } from './log.ts';
import type { Retriever } from './retrieve/client.ts';

const PASSAGE = passageSchema.parse({
  source: 'a.md',
  text: 'Words.',
  start: 0,
  end: 6,
  cosine: null,
  bm25: 1,
  fusion: 1,
});

/** Numbers, and a note of how far they came. */
function numbers(fail?: Error) {
  const seen: string[] = [];
  async function* run() {
    try {
      seen.push('begun');
      await turn();
      if (fail) throw fail;
      yield 1;
      yield 2;
    } finally {
      seen.push('ended');
    }
  }
  return { seen, source: run() };
}

it('begins before it is read, and is read whole', async () => {
  const { seen, source } = numbers();
  const { events } = begin(source);
  expect(seen).toEqual(['begun']);
  await turn();
  const read: number[] = [];
  for await (const number of events) read.push(number);
  expect(read).toEqual([1, 2]);
  expect(seen).toEqual(['begun', 'ended']);
});

it('a failure before anybody reads waits for the reader', async () => {
  const { events } = begin(numbers(new Error('no model')).source);
  await turn();
  await turn();
  await expect(events[Symbol.asyncIterator]().next()).rejects.toThrow('no model');
});

it('ends when the reader leaves the loop, or never comes', async () => {
  const left = numbers();
  for await (const number of begin(left.source).events) if (number === 1) break;
  expect(left.seen).toEqual(['begun', 'ended']);
  const unread = numbers();
  begin(unread.source).leave();
  await expect.poll(() => unread.seen).toEqual(['begun', 'ended']);
});

it('the model is at work when the sources of an answer are sent, and is left when nobody reads on', async () => {
  const { seen, source } = numbers();
  const provider = {
    prepare: async () => ({ question: 'q', sources: [{ ...PASSAGE, n: 1, used: true }], messages: [] }),
    generate: () => source,
  } as unknown as Provider;
  const retriever = { search: async () => ({ passages: [PASSAGE], below_gate: [] }) } as unknown as Retriever;
  const deps = { retriever, provider, topK: 1, prices: { input: 0, output: 0 }, log: silentLogger };
  const answer = answerQuestion({ question: 'q' }, deps, new AbortController().signal);
  expect(await answer.next()).toMatchObject({ value: { event: 'sources' } });
  expect(seen).toEqual(['begun']);
  await answer.return();
  await expect.poll(() => seen).toEqual(['begun', 'ended']);
});
