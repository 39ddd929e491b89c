/** The attributes of a generation's span, by the OpenTelemetry conventions for generative AI. Pure. */
import type { LlmConfig } from './config.ts';
import type { GenerationEvent, Prepared, Provider } from './generate/provider.ts';

export function requestAttributes(provider: Provider, llm: LlmConfig) {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider.name,
    'gen_ai.request.model': provider.model,
    'gen_ai.request.max_tokens': llm.maxTokens,
    'gen_ai.request.temperature': llm.temperature,
  };
}

export function responseAttributes({ finish, usage }: Extract<GenerationEvent, { type: 'end' }>) {
  return {
    'gen_ai.response.finish_reasons': [finish],
    ...(usage === null
      ? {}
      : {
          'gen_ai.usage.input_tokens': usage.prompt_tokens,
          'gen_ai.usage.output_tokens': usage.completion_tokens,
        }),
    ...(usage?.cached_tokens === undefined ? {} : { 'gen_ai.usage.cache_read.input_tokens': usage.cached_tokens }),
  };
}

export function inputOf({ question, messages }: Prepared): string {
  const sent = messages.length === 0 ? [{ role: 'user', content: question }] : messages;
  return JSON.stringify(sent.map(({ role, content }) => ({ role, parts: [{ type: 'text', content }] })));
}

export function outputOf(content: string): string {
  return JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content }] }]);
}
