import { expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { llamaStatus } from './status.ts';

const notes = (slots: number, share: string, maxConcurrent: number) =>
  llamaStatus(
    { slots, contextTokens: null } as Parameters<typeof llamaStatus>[0],
    loadConfig({ ASKDOCS_LLM_SLOTS_SHARE: share }).llm,
    maxConcurrent,
  ).notes;

it.each([
  [4, '1/2', 2],
  [3, '1/3', 1],
  [12, '1/3', 4],
  [8, '0.25', 2],
  [4, '', 4],
])('%i slots, a share of %s and a limit of %i fit', (slots, share, limit) => {
  expect(notes(slots, share, limit)).toEqual([]);
});

it.each([
  [
    4,
    '1/2',
    4,
    /share \(ASKDOCS_LLM_SLOTS_SHARE\) of the 4 slots of llama.cpp is 2, so that requests beyond .* set it to 2, or start the server with -np 8/,
  ],
  [8, '1/2', 2, /is 4, so that some slots stay idle; set it to 4, or start the server with -np 4/],
  [2, '1/3', 1, /is 0, so that requests beyond the slots wait there unseen; start the server with -np 3/],
  [4, '', 2, /llama.cpp has 4 slots, so that some slots stay idle; set it to 4/],
])('%i slots, a share of %s and a limit of %i do not', (slots, share, limit, sentence) => {
  expect(notes(slots, share, limit)).toEqual([expect.stringMatching(sentence)]);
});

it.each(['0', '2', '3/2', '1/0', 'half', '-1/2', '0/3'])('a share of %s is refused', (share) => {
  expect(() => loadConfig({ ASKDOCS_LLM_SLOTS_SHARE: share })).toThrow(
    /ASKDOCS_LLM_SLOTS_SHARE is .*; it must be a part of 1/,
  );
});

it('a short secret of the fences is refused and not shown', () => {
  expect(() => loadConfig({ ASKDOCS_FENCE_SECRET: 'hush' })).toThrow(
    /^ASKDOCS_FENCE_SECRET is \(not shown\); it must be 16 or more/,
  );
});
