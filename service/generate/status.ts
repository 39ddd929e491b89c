/** What can be said about a model's server before the first question. */
import type { LlmConfig } from '../config.ts';
import type { LlamaProps } from './llama-info.ts';
import type { ProviderStatus } from './provider.ts';

/** Any server with the OpenAI API: whether it answers. */
export async function remoteStatus(llm: LlmConfig, signal: AbortSignal): Promise<ProviderStatus> {
  const headers = new Headers(llm.apiKey === undefined ? {} : { authorization: `Bearer ${llm.apiKey}` });
  const response = await fetch(`${llm.baseUrl}/models`, {
    headers,
    signal: AbortSignal.any([signal, AbortSignal.timeout(5000)]),
  });
  await response.body?.cancel();
  const ready = response.status < 400 || response.status === 404;
  return {
    ready,
    notes: ready ? [] : [`The model's server answered with status ${response.status}.`],
    slots: null,
    contextTokens: null,
  };
}

/** A llama.cpp server: whether its slots and its context match the settings, with the fix where they do not. */
export function llamaStatus(
  { slots, contextTokens }: LlamaProps,
  llm: LlmConfig,
  maxConcurrent: number,
): ProviderStatus {
  const notes: string[] = [];
  const uneven = slots === null ? undefined : slotsNote(slots, llm.slotsShare, maxConcurrent);
  if (uneven !== undefined) notes.push(uneven);
  // Rules, question and template take about 600 tokens, a passage about 200.
  const wanted = 1600 + llm.maxTokens;
  if (contextTokens !== null && contextTokens < wanted) {
    notes.push(
      `A slot of the llama.cpp server holds ${contextTokens} tokens, and prompt and answer want ${wanted}; start it with -c ${wanted * (slots ?? 1)} or lower ASKDOCS_LLM_MAX_TOKENS.`,
    );
  }
  return { ready: true, notes, slots, contextTokens };
}

/** The limits of all replicas must add up to the slots: the model's server queues what is beyond them, and nobody sees it. */
function slotsNote(slots: number, share: number, maxConcurrent: number): string | undefined {
  // A third of 3 slots is 1, whatever the digits of a third say.
  const own = Math.floor(slots * share + 1e-9);
  if (own === maxConcurrent) return undefined;
  const effect = own < maxConcurrent ? 'requests beyond the slots wait there unseen' : 'some slots stay idle';
  if (share === 1)
    return `ASKDOCS_MAX_CONCURRENT is ${maxConcurrent} and llama.cpp has ${slots} slots, so that ${effect}; set it to ${slots}, or start the server with -np ${maxConcurrent}.`;
  const needed = Math.ceil(maxConcurrent / share - 1e-9);
  const fix = own === 0 ? '' : `set it to ${own}, or `;
  return `ASKDOCS_MAX_CONCURRENT is ${maxConcurrent}, and this replica's share (ASKDOCS_LLM_SLOTS_SHARE) of the ${slots} slots of llama.cpp is ${own}, so that ${effect}; ${fix}start the server with -np ${needed}.`;
}
