import { expect, it } from 'vitest';
import { answerableQuestions, measuredWindow, questionNumber, retryAfterSeconds, shareInWindow } from './load.ts';

it('asks what a model can be asked', () => {
  const line = (kind: string) => JSON.stringify({ id: kind, kind, question: `${kind}?` });
  const jsonl = ['factual', 'unanswerable', 'off_topic', 'multi_source'].map(line).join('\n');
  expect(answerableQuestions(`${jsonl}\n\n`)).toEqual(['factual?', 'multi_source?']);
});

it('takes all users together through the list in order', () => {
  const numbers = [0, 1].flatMap((iteration) => [1, 2, 3].map((user) => questionNumber(user, iteration, 3)));
  expect(numbers).toEqual([0, 1, 2, 3, 4, 5]);
});

it('waits as long as Retry-After says, a second without it, and up to half a second more', () => {
  const waits = (random: number) =>
    ['3', '12', undefined, 'soon', '0'].map((header) => retryAfterSeconds(header, () => random));
  expect(waits(0)).toEqual([3, 12, 1, 1, 1]);
  expect(waits(0.5)).toEqual([3.25, 12.25, 1.25, 1.25, 1.25]);
});

it('counts the part of an answer that lies in the window', () => {
  const window = measuredWindow(1000, 60_000, 5000);
  expect(window).toEqual({ from: 6000, to: 56_000 });
  expect(shareInWindow(7000, 9000, window)).toBe(1);
  expect(shareInWindow(5000, 7000, window)).toBe(0.5);
  expect(shareInWindow(55_000, 59_000, window)).toBe(0.25);
  expect(shareInWindow(0, 100_000, window)).toBe(0.5);
  expect(shareInWindow(1000, 6000, window)).toBe(0);
  expect(shareInWindow(57_000, 58_000, window)).toBe(0);
});
