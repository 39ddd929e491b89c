import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createPrompter } from './prompter.ts';

test('lines that came before their question are kept; the end of input is null', async () => {
  const input = new PassThrough();
  const written: string[] = [];
  const prompter = createPrompter(input, { write: (text) => written.push(text) });
  input.write('one\ntwo\n');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await prompter.ask('1? ')).toBe('one');
  expect(await prompter.ask('2? ')).toBe('two');
  const third = prompter.ask('3? ');
  input.end('three');
  expect(await third).toBe('three');
  expect(await prompter.ask('4? ')).toBeNull();
  expect(written).toEqual(['1? ', '2? ', '3? ', '4? ']);
});
