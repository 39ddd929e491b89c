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

it('waits exactly as long as Retry-After says, and a second without it', () => {
  expect(['3', '12', undefined, 'soon', '0'].map(retryAfterSeconds)).toEqual([3, 12, 1, 1, 1]);
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
