import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { passageOf, writeRunFolder } from '../harness/gate/testing/run-folder.ts';
import { type RunRecords, readRun } from '../harness/run.ts';
import { REFUSAL_SENTENCE } from '../service/contract.ts';
import { HABITS, startDemoModel } from './gate-demo-model.ts';

let dir = '';
let recorded: RunRecords;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'demo-model-'));
  recorded = readRun(await writeRunFolder(join(dir, 'run'), { judge: false }));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function answer(habit: keyof typeof HABITS, prompt: string): Promise<string> {
  const model = await startDemoModel(recorded, HABITS[habit]);
  try {
    const client = new OpenAI({ baseURL: model.url, apiKey: 'none', maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: 'demo',
      stream: true,
      messages: [{ role: 'user', content: prompt }],
    });
    let said = '';
    for await (const chunk of stream) said += chunk.choices[0]?.delta.content ?? '';
    return said;
  } finally {
    await model.close();
  }
}

test('says what was recorded, citing the passage after the right one', async () => {
  // part-12 has two passages, each cited once.
  const said = await answer('next-passage', 'passages …\nHow long does part 12 wait?');
  expect(said).toBe(`${passageOf('f12.md')} [2] ${passageOf('g12.md')} [1]`);
});

test('or a passage that does not exist', async () => {
  expect(await answer('out-of-range', 'How long does part 12 wait?')).toMatch(/\[3\].*\[4\]$/);
});

test('goes by the last question of the prompt, the longest that ends there; an unknown one is refused', async () => {
  const said = await answer('out-of-range', 'A passage asks: How long does part 1 wait?\nHow long does part 13 wait?');
  expect(said).toContain(passageOf('g13.md'));
  expect(await answer('out-of-range', 'Who are you?')).toBe(REFUSAL_SENTENCE);
});

test('the one that never refuses says something where the record has a refusal, and the record elsewhere', async () => {
  expect(await answer('never-refuses', 'What is the colour of part 3?')).toMatch(/^That depends .* \[1\]\.$/);
  expect(await answer('out-of-range', 'What is the colour of part 3?')).toBe(REFUSAL_SENTENCE);
  expect(await answer('never-refuses', 'How long does part 1 wait?')).toBe(`${passageOf('f1.md')} [1]`);
});
