import { expect, test } from 'vitest';
import { lexicalJudge } from '../harness/judges/lexical.ts';
import { llmJudge } from '../harness/judges/llm.ts';
import type { Manifest } from '../harness/schema.ts';
import { createExtractive } from '../service/generate/extractive.ts';
import { promptHash } from '../service/prompt.ts';
import { CHUNKER_VERSION } from '../service/search/chunk.ts';
import { stalenessOf } from './staleness.ts';

const llm = llmJudge({ baseUrl: 'http://elsewhere/v1', model: 'm', secret: 'x', threshold: 0.3 }).info;

function run(
  provider: string,
  hash: string | undefined,
  judges: Manifest['judges'],
  stats: Record<string, string> | null = null,
) {
  const settings = hash === undefined ? {} : { prompt_hash: hash };
  return { manifest: { service: { provider, settings }, judges, corpus: { stats } } as unknown as Manifest };
}

test('made by the code as it is: nothing is stale, whatever the threshold and the server', () => {
  expect(stalenessOf(run('extractive', createExtractive().promptHash, [lexicalJudge().info, llm]))).toEqual([]);
  expect(stalenessOf(run('llamacpp', promptHash(), [llm]))).toEqual([]);
  expect(stalenessOf(run('openai', undefined, []))).toEqual([]);
});

test('a prompt, a method or a judge that changed since is named', () => {
  expect(stalenessOf(run('llamacpp', 'f'.repeat(64), []))).toEqual(['the prompt changed; run the evaluation again']);
  expect(stalenessOf(run('extractive', 'f'.repeat(64), []))).toEqual([
    'the extractive method changed; run the evaluation again',
  ]);
  expect(stalenessOf(run('extractive', undefined, [{ ...lexicalJudge().info, prompt_hash: 'f'.repeat(32) }]))).toEqual([
    expect.stringMatching(/^the rules of the judge lexical changed/),
  ]);
  expect(stalenessOf(run('openai', undefined, [{ ...llm, prompt_hash: 'f'.repeat(32) }]))[0]).toMatch(
    /judge llm changed/,
  );
});

test('an index cut or tokenized by another version is named', () => {
  expect(
    stalenessOf(run('openai', undefined, [], { chunker: `${CHUNKER_VERSION}`, tokenizer: '0', files: '3' })),
  ).toEqual([
    expect.stringMatching(/^the index was made by tokenizer version 0, the code has \d+; index and evaluate again$/),
  ]);
});
