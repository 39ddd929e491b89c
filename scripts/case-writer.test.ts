import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Case } from '../harness/schema.ts';
import { writeCases } from './case-writer.ts';

const TEXT = `# Server\n\n${'The limit of a body is 1 MiB unless it is set to something else by the user of the library. '.repeat(2)}\n`;

async function session(typed: string[], known: Case[] = []) {
  const root = mkdtempSync(join(tmpdir(), 'askdocs-writer-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, 'server.md'), TEXT);
  const shown: string[] = [];
  const added: Case[] = [];
  const count = await writeCases({
    root,
    known,
    seed: 'x',
    ask: async () => typed.shift() ?? null,
    show: (text) => shown.push(text),
    add: (item) => added.push(item),
  });
  return { count, added, shown: shown.join('\n') };
}

test('shows a passage and takes question, facts and other wordings; never proposes a label', async () => {
  const { count, added, shown } = await session(['How big?', '1 MiB', '1048576 | one mebibyte', '', 'q']);
  expect(count).toBe(1);
  expect(added[0]).toMatchObject({
    kind: 'factual',
    files: ['server.md'],
    question: 'How big?',
    key_facts: [{ any: ['1 MiB', '1048576', 'one mebibyte'], vital: true }],
  });
  expect(shown).toContain('--- server.md');
});

test('a fact that is not in the document is asked for again', async () => {
  const { added, shown } = await session(['How big?', '2 MiB', '1 MiB', '', '', 'q']);
  expect(shown).toContain('does not stand in server.md word for word');
  expect(added[0]?.key_facts[0]?.any).toEqual(['1 MiB']);
});

test('? and ! mark questions to be refused, and the splits stay even', async () => {
  const { added } = await session(['? Does it fly?', '! Who won?', 'q']);
  expect(added.map((item) => [item.kind, item.split, item.question])).toEqual([
    ['unanswerable', 'dev', 'Does it fly?'],
    ['off_topic', 'test', 'Who won?'],
  ]);
});

test('the end of input keeps what is whole and drops what is half labelled', async () => {
  expect((await session(['? Does it fly?', 'How big?'])).count).toBe(1);
});
