/** Reads the chunks of one streamed completion: its text, how it ended, and what it used. */
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { z } from 'zod';
import { CodedError, type Usage } from '../contract.ts';
import type { GenerationEvent } from './provider.ts';

/** A server that sends this many pieces more than the limit of tokens ignores it, and is stopped. */
const RUNAWAY = 16;
/** Chunks without text (a model that thinks aloud, an end, the usage) may be as many again, and these on top. */
const SILENT_CHUNKS = 200;
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
  let chunks = 0;
  let pieces = 0;
  let chars = 0;
  for await (const chunk of stream) {
    chunks += 1;
    usage = readUsage(chunk) ?? usage;
    const choice = chunk?.choices?.find((each) => (each.index ?? 0) === 0);
    finish = choice?.finish_reason ?? finish;
    const text = choice?.delta?.content;
    if (typeof text === 'string' && text !== '') {
      pieces += 1;
      chars += text.length;
      yield { type: 'text', text };
    }
    const runsAway = pieces > maxTokens + RUNAWAY || chars > maxTokens * CHARS_PER_TOKEN + 1000;
    if (runsAway || chunks > 2 * maxTokens + SILENT_CHUNKS) {
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

const tokens = z.number().int().min(0);
const usageOfServer = z.object({
  prompt_tokens: tokens,
  completion_tokens: tokens,
  prompt_tokens_details: z
    .object({ cached_tokens: tokens.nullish().catch(null) })
    .nullish()
    .catch(null),
});
const timingsOfServer = z.object({ cache_n: tokens });

/** Counts that are no counts are not known: a bill of half of them would be wrong. */
function readUsage(chunk: ChatCompletionChunk): Usage | null {
  const { usage, timings } = (chunk ?? {}) as { usage?: unknown; timings?: unknown };
  if (usage === null || usage === undefined) return null;
  const parsed = usageOfServer.safeParse(usage);
  if (!parsed.success) return null;
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = parsed.data;
  const cached = prompt_tokens_details?.cached_tokens ?? timingsOfServer.safeParse(timings).data?.cache_n;
  return { prompt_tokens, completion_tokens, ...(cached === undefined ? {} : { cached_tokens: cached }) };
}
