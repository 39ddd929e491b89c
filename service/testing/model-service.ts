/** For tests of streams: the real service between a stand-in of the retrieval and a stand-in of the model's server. */
import { afterEach, expect } from 'vitest';
import { type Answer, type AskEvent, answerSchema, type ErrorEvent, errorEventSchema } from '../contract.ts';
import type { Service } from '../serve.ts';
import { type LlmStandIn, llmStandIn, type Script } from './llm-stand-in.ts';
import { eventsOf, post, standInService } from './service.ts';

export const QUESTION = { question: 'What is the default of bodyLimit?' };
export const GOOD = ['The default ', 'is 1 MiB', ' [1].'];
export const ANSWER = GOOD.join('');

export interface Asked {
  events: AskEvent[];
  done?: Answer;
  error?: ErrorEvent;
  text: string;
}

export interface ModelService {
  llm: LlmStandIn;
  url: string;
  /** Asks, checks that the stream is well formed, and returns its last event. */
  ask(): Promise<Asked>;
}

let running: { service: Service; llm: LlmStandIn }[] = [];

/** Ends both after each test of the file that calls this. */
export function endAfterEach(): void {
  afterEach(async () => {
    for (const { service, llm } of running) await Promise.all([service.close(), llm.close()]);
    running = [];
  });
}

export async function startModelService(
  scripts: Script | Script[],
  env: Record<string, string> = {},
  props?: object,
): Promise<ModelService> {
  const llm = await llmStandIn(scripts, props);
  const service = await standInService({
    env: {
      ASKDOCS_LLM_PROVIDER: 'llamacpp',
      ASKDOCS_LLM_BASE_URL: llm.url,
      ASKDOCS_LLM_READ_TIMEOUT_S: '0.4',
      ASKDOCS_WARMUP: 'false',
      ...env,
    },
  });
  running.push({ service, llm });
  return { llm, url: service.url, ask: () => askOnce(service.url) };
}

async function askOnce(url: string): Promise<Asked> {
  const events = await eventsOf(await post(`${url}/ask`, QUESTION));
  const ends = events.filter(({ event }) => event === 'done' || event === 'error');
  expect(ends).toHaveLength(1);
  const last = events.at(-1);
  expect(last).toBe(ends[0]);
  expect(events[0]?.event).toBe('sources');
  const text = events.flatMap((e) => (e.event === 'token' ? e.data.text : [])).join('');
  if (last?.event === 'done') return { events, done: answerSchema.parse(last.data), text };
  const error = errorEventSchema.parse(last?.data);
  expect(error.partial ?? '').toBe(text);
  return { events, error, text };
}
