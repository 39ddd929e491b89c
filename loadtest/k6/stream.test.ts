import { describe, expect, it } from 'vitest';
import { readStream } from './stream.ts';

const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const timings = { retrieval_ms: 1, ttft_ms: 2, generation_ms: 3, total_ms: 4 };
const sources = event('sources', { sources: [] });
const tokens = event('token', { text: 'A ' }) + event('token', { text: 'b [1].' });
const done = event('done', { answer: 'A b [1].', refusal: null, truncated: false, usage: null, timings });

describe('readStream', () => {
  it('takes a whole stream, with comments anywhere', () => {
    expect(readStream(`: askdocs\n\n${sources}: ping\n\n${tokens}${done}`)).toMatchObject({
      end: 'done',
      done: { timings },
    });
  });

  it('tells a failed answer from a broken stream', () => {
    const error = event('error', { stage: 'generation', message: 'The model is gone.' });
    expect(readStream(sources + tokens + error)).toEqual({ end: 'error', message: 'The model is gone.' });
    expect(readStream(error)).toEqual({ end: 'error', message: 'The model is gone.' });
  });

  it.each([
    ['nothing', ''],
    ['no end', sources + tokens],
    ['a cut end', (sources + tokens + done).slice(0, -20)],
    ['an end without its blank line', (sources + tokens + done).trimEnd()],
    ['two ends', sources + tokens + done + done],
    ['a token after the end', sources + tokens + done + tokens],
    ['sources twice', sources + sources + tokens + done],
    ['sources after a token', tokens + sources + done],
    ['an unknown event', sources + event('surprise', {}) + done],
    ['no JSON', `${sources}event: token\ndata: {"text\n\n${done}`],
    ['tokens that are not the answer', sources + event('token', { text: 'other' }) + done],
    ['plain text', 'Bad gateway'],
  ])('calls %s broken', (_what, body) => {
    expect(readStream(body).end).toBe('broken');
  });
});
