/** `/metrics` as Prometheus would read it, against what happened. */
import { afterEach, expect, it } from 'vitest';
import type { Service } from './serve.ts';
import { answers, fails, type LlmStandIn, llmStandIn, type Script } from './testing/llm-stand-in.ts';
import { post, standInService } from './testing/service.ts';

const QUESTION = { question: 'What is the default of bodyLimit?' };
let llm: LlmStandIn;
let service: Service;
afterEach(async () => {
  await service.close();
  await llm.close();
});

async function start(script: Script | Script[], env: Record<string, string> = {}, mode = 'typed') {
  llm = await llmStandIn(script);
  const model = { ASKDOCS_LLM_PROVIDER: 'llamacpp', ASKDOCS_LLM_BASE_URL: llm.url, ASKDOCS_LLM_MAX_RETRIES: '0' };
  service = await standInService({ env: { ...model, ...env }, mode });
}
const ask = async () => (await post(`${service.url}/ask?stream=false`, QUESTION)).text();

/** Every sample by its name with labels. */
async function scrape(): Promise<Map<string, number>> {
  const response = await fetch(`${service.url}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const samples = new Map<string, number>();
  for (const line of (await response.text()).split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const match = /^([a-zA-Z_:][a-zA-Z0-9_:]*(?:\{.*\})?) (\S+)$/.exec(line);
    expect(match, line).not.toBeNull();
    samples.set(match?.[1] ?? '', Number(match?.[2]));
  }
  return samples;
}

it('has every series from the start, at zero', async () => {
  await start(answers(['x']));
  const samples = await scrape();
  for (const name of [
    'askdocs_answers_total',
    'askdocs_refusals_total{kind="gate"}',
    'askdocs_refusals_total{kind="model"}',
    'askdocs_errors_total{stage="retrieval"}',
    'askdocs_errors_total{stage="generation"}',
    'askdocs_errors_total{stage="internal"}',
    'askdocs_tokens_total{type="prompt"}',
    'askdocs_tokens_total{type="cached"}',
    'askdocs_cancelled_total',
    'askdocs_rejected_total',
    'askdocs_answers_in_flight',
  ]) {
    expect([name, samples.get(name)]).toEqual([name, 0]);
  }
  expect(samples.get('askdocs_slots')).toBe(4);
  expect(samples.has('process_resident_memory_bytes')).toBe(true);
});

it('counts answers, refusals, errors, tokens, and times', async () => {
  await start(
    [
      answers(['It is 1 MiB. [1][9]']),
      answers(['I cannot answer this from the documents.']),
      answers(['Cut [1]'], { finish: 'length', usage: false }),
      fails(500),
    ],
    { ASKDOCS_LLM_PRICE_INPUT_PER_MTOK: '10' },
  );
  for (let i = 0; i < 4; i += 1) await ask();
  const samples = await scrape();
  const seen = (name: string) => samples.get(`askdocs_${name}`);
  expect(seen('answers_total')).toBe(3);
  expect(seen('refusals_total{kind="model"}')).toBe(1);
  expect(seen('errors_total{stage="generation"}')).toBe(1);
  expect(seen('invalid_citations_total')).toBe(1);
  expect(seen('truncated_total')).toBe(1);
  expect(seen('usage_unknown_total')).toBe(1);
  expect(seen('tokens_total{type="prompt"}')).toBe(200);
  expect(seen('tokens_total{type="completion"}')).toBe(14);
  expect(seen('tokens_total{type="cached"}')).toBe(180);
  expect(seen('cost_usd_total')).toBeCloseTo(0.002, 9);
  for (const stage of ['retrieval_duration', 'time_to_first_token', 'generation_duration', 'answer_duration']) {
    expect([stage, seen(`${stage}_seconds_count`)]).toEqual([stage, 3]);
    expect(seen(`${stage}_seconds_bucket{le="+Inf"}`)).toBe(3);
    expect(seen(`${stage}_seconds_sum`)).toBeGreaterThan(0);
    expect(seen(`${stage}_seconds_sum`)).toBeLessThan(10);
  }
});

it('shows what is in flight, who was refused and who left', async () => {
  await start(() => undefined, { ASKDOCS_MAX_CONCURRENT: '1' });
  const left = new AbortController();
  post(`${service.url}/ask`, QUESTION, { signal: left.signal }).catch(() => undefined);
  await expect.poll(async () => (await scrape()).get('askdocs_answers_in_flight')).toBe(1);
  await ask();
  left.abort();
  await expect.poll(async () => (await scrape()).get('askdocs_cancelled_total')).toBe(1);
  const samples = await scrape();
  expect(samples.get('askdocs_rejected_total')).toBe(1);
  expect(samples.get('askdocs_answers_in_flight')).toBe(0);
});

it('two services of one process do not share numbers', async () => {
  await start(answers(['Yes. [1]']));
  await ask();
  const other = await standInService();
  expect(await (await fetch(`${other.url}/metrics`)).text()).toMatch(/^askdocs_answers_total 0$/m);
  await other.close();
});
