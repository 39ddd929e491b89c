import { expect, test } from 'vitest';
import { createProgress } from './progress.ts';

function fakeStream(isTTY: boolean) {
  const written: string[] = [];
  return { written, stream: { isTTY, columns: 40, write: (text: string) => written.push(text) } };
}

test('a terminal gets one live line, never wider than itself, with the time left', () => {
  const { written, stream } = fakeStream(true);
  let now = 0;
  const progress = createProgress(stream, () => now);
  now = 5000;
  progress.update(10, 100, 'a'.repeat(100));
  expect(written[0]).toMatch(/^\r\u001b\[2K10\/100 \(10%\), 45 s left/);
  expect(written[0]?.length).toBeLessThanOrEqual(40 + 5);
  progress.end('done');
  expect(written.at(-1)).toBe('done\n');
});

test('elsewhere a plain line comes now and then, without control characters', () => {
  const { written, stream } = fakeStream(false);
  let now = 0;
  const progress = createProgress(stream, () => now);
  for (now = 0; now <= 12_000; now += 100) progress.update(now, 12_000);
  progress.end();
  expect(written).toHaveLength(2);
  expect(written.join('')).not.toContain('\u001b');
});
