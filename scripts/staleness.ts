/** Is a recorded run about the code as it is? What the harness alone cannot know: the prompts of service and judges, the settings of the index. */
import { lexicalJudge } from '../harness/judges/lexical.ts';
import { llmJudge } from '../harness/judges/llm.ts';
import type { RunRecords } from '../harness/run.ts';
import { createExtractive } from '../service/generate/extractive.ts';
import { promptHash } from '../service/prompt.ts';
import { CHUNKER_VERSION } from '../service/search/chunk.ts';
import { TOKENIZER_VERSION } from '../service/search/text/tokens.ts';

/** One sentence for each thing that changed since the run was recorded. */
export function stalenessOf({ manifest }: Pick<RunRecords, 'manifest'>): string[] {
  const found: string[] = [];
  const { provider, settings } = manifest.service;
  const recorded = settings.prompt_hash;
  // A service without `/info` did not say which prompt it used: nothing to hold against it.
  if (typeof recorded === 'string' && recorded !== promptHashOf(provider)) {
    found.push(
      provider === 'extractive'
        ? 'the extractive method changed; run the evaluation again'
        : 'the prompt changed; run the evaluation again',
    );
  }
  for (const [part, now] of Object.entries(INDEX)) {
    const then = manifest.corpus.stats?.[part];
    if (then !== undefined && then !== now)
      found.push(`the index was made by ${part} version ${then}, the code has ${now}; index and evaluate again`);
  }
  for (const judge of manifest.judges) {
    const current = currentJudge(judge.name, judge.model);
    if (current !== undefined && current.prompt_hash !== judge.prompt_hash) {
      found.push(
        `the rules of the judge ${judge.name} changed, its verdicts and its agreement with people are of another judge; run askdocs eval judge again`,
      );
    }
  }
  return found;
}

/** What a passage is depends on these; other documents are found by `gate check --live`. */
const INDEX: Record<string, string> = { chunker: `${CHUNKER_VERSION}`, tokenizer: `${TOKENIZER_VERSION}` };

function promptHashOf(provider: string): string {
  return provider === 'extractive' ? createExtractive().promptHash : promptHash();
}

/** Its prompt is the same whatever server it is asked on. */
function currentJudge(name: string, model: string) {
  if (name === 'lexical') return lexicalJudge().info;
  return name === 'llm' ? llmJudge({ baseUrl: 'http://localhost', model, secret: '' }).info : undefined;
}
