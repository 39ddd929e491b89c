/** What writes the answers: is it there, does it fit the settings, does it write? */
import type { Config } from '../../service/config.ts';
import { createModel } from '../../service/generate/openai.ts';
import type { ProviderStatus } from '../../service/generate/provider.ts';
import { silentLogger } from '../../service/log.ts';
import { modelFile } from '../../service/model-file.ts';
import { type Check, fail, ok, said, warn } from './check.ts';

const NAMES = { llamacpp: 'llama.cpp', openai: 'model' } as const;

/** No question is asked: a model behind an API may cost money. */
export async function modelChecks(config: Config): Promise<Check[]> {
  const { llm, maxConcurrent } = config;
  if (llm.provider === 'extractive') {
    return [ok('model', 'extractive: answers are quotations, no model is needed')];
  }
  const name = NAMES[llm.provider];
  const provider = createModel({ llm, maxConcurrent, secret: Buffer.alloc(32), log: silentLogger });
  const file = fileCheck(llm.gguf);
  try {
    return [...file, ...statusChecks(name, llm.baseUrl, await provider.status(AbortSignal.timeout(10_000)))];
  } catch (error) {
    const todo =
      llm.provider === 'llamacpp'
        ? `Start one: llama-server -m MODEL.gguf -np ${maxConcurrent} -c ${4096 * maxConcurrent} --port ${new URL(llm.baseUrl).port || '80'}, or set ASKDOCS_LLM_BASE_URL to where it is. One that still loads its model answers later.`
        : 'Set ASKDOCS_LLM_BASE_URL to where it is.';
    return [...file, fail(name, `${llm.baseUrl} does not answer (${said(error)})`, todo)];
  }
}

/** The notes of the service itself, which name each fix. */
function statusChecks(name: string, url: string, status: ProviderStatus): Check[] {
  const { slots, contextTokens, notes, ready } = status;
  const parts = [
    ...(slots === null ? [] : [`${slots} slots`]),
    ...(contextTokens === null ? [] : [`${contextTokens} tokens each`]),
  ];
  const found = [`${url} answers`, ...parts].join(', ');
  if (!ready) return [fail(name, `${url}: ${notes.join(' ')}`, 'See to ASKDOCS_LLM_API_KEY and ASKDOCS_LLM_BASE_URL.')];
  return [ok(name, found), ...notes.map((note) => warn(name, note))];
}

function fileCheck(gguf: string | undefined): Check[] {
  try {
    modelFile(gguf);
    return gguf === undefined ? [] : [ok('model file', gguf)];
  } catch (error) {
    return [fail('model file', said(error))];
  }
}
