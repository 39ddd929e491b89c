/** Reads the chunks of one streamed completion: its text, how it ended, and what it used. */
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { CodedError, type Usage } from '../contract.ts';
import type { GenerationEvent } from './provider.ts';

/** A server that sends this many pieces more than the limit of tokens ignores it, and is stopped. */
const RUNAWAY = 16;
/** The longest tokens are runs of blanks, of a hundred and more. */
const CHARS_PER_TOKEN = 256;

/** The end is yielded only for a stream that was whole: with a finish reason, or with [DONE]. */
export async function* readChunks(
  stream: AsyncIterable<ChatCompletionChunk>,
  maxTokens: number,
  sawDone: () => boolean,
): AsyncGenerator<GenerationEvent> {
  let finish: string | undefined;
  let usage: Usage | null = null;
  let pieces = 0;
  let chars = 0;
  for await (const chunk of stream) {
    usage = readUsage(chunk) ?? usage;
    const choice = chunk.choices?.[0];
    finish = choice?.finish_reason ?? finish;
    const text = choice?.delta?.content;
    if (typeof text !== 'string' || text === '') continue;
    pieces += 1;
    chars += text.length;
    yield { type: 'text', text };
    if (pieces > maxTokens + RUNAWAY || chars > maxTokens * CHARS_PER_TOKEN + 1000) {
      yield { type: 'end', finish: 'length', usage };
      return;
    }
  }
  if (finish === undefined && !sawDone())
    throw new CodedError('generation_failed', "The stream of the model's server ended before the answer was whole.");
  if (finish === 'content_filter')
    throw new CodedError('generation_failed', "The model's server stopped the answer with its content filter.");
  yield { type: 'end', finish: finish === 'length' ? 'length' : 'stop', usage };
}

function readUsage(chunk: ChatCompletionChunk): Usage | null {
  const { usage, timings } = chunk as ChatCompletionChunk & { timings?: { cache_n?: number } };
  if (usage === null || usage === undefined) return null;
  const cached = usage.prompt_tokens_details?.cached_tokens ?? timings?.cache_n;
  return {
    prompt_tokens: usage.prompt_tokens,
    completion_tokens: usage.completion_tokens,
    ...(cached === undefined ? {} : { cached_tokens: cached }),
  };
}
