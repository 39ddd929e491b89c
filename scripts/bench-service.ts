/**
 * What the service costs on top of the model's server, in ratios of one run: the stand-in of loadtest/, the service and
 * this client are three processes. `npm run bench:service`; exit 1 when a ratio misses its bound.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Running, startStandInProcess } from '../loadtest/processes.ts';
import type { Entry } from '../loadtest/stand-in/engine.ts';
import { theoreticalRate } from '../loadtest/theory.ts';
import { LIMITS } from '../service/config.ts';
import { askEnvelopeSchema } from '../service/contract.ts';
import { silentLogger } from '../service/log.ts';
import { buildPrompt } from '../service/prompt.ts';
import { createRetriever } from '../service/retrieve/client.ts';
import { standInCommand } from '../service/testing/retrieval.ts';
import { ASK_MARK, DIRECT_MARK, mean, median, type Timed, timed } from './bench/client.ts';
import { startServiceProcess } from './bench/processes.ts';

interface Line {
  name: string;
  value: string;
  ratio?: number;
  bound?: number;
  atMost?: boolean;
}

const SLOTS = 4;
let asked = 0;
/** Another question each time, as users do; what they share is cached as a real server would. */
function question(): string {
  asked += 1;
  return `What is the default of bodyLimit, for the ${asked}th time?`;
}
const viaService = (service: Running) => timed(`${service.url}/ask`, { question: question() }, ASK_MARK);

const lines = [...(await firstToken()), ...(await throughput()), ...(await streaming()), ...(await mcp())];
const missed = lines.filter(
  ({ ratio, bound, atMost }) => ratio !== undefined && bound !== undefined && (atMost ? ratio > bound : ratio < bound),
);
for (const { name, value, ratio, bound, atMost } of lines) {
  const verdict =
    bound === undefined
      ? ''
      : `  ${atMost ? '<=' : '>='} ${bound}: ${missed.some((line) => line.name === name) ? 'MISSED' : 'holds'}`;
  console.log(`${name.padEnd(58)} ${ratio === undefined ? '' : ratio.toFixed(3)}${verdict}  (${value})`);
}
process.exitCode = missed.length === 0 ? 0 : 1;

type Settings = Record<string, string>;

async function withModel<T>(
  options: Record<string, number>,
  settings: Settings,
  run: (model: Running, service: Running) => Promise<T>,
): Promise<T> {
  const model = await startStandInProcess({ slots: SLOTS, ...options });
  try {
    const service = await startServiceProcess({
      ASKDOCS_LLM_PROVIDER: 'llamacpp',
      ASKDOCS_LLM_BASE_URL: `${model.url}/v1`,
      ASKDOCS_MAX_CONCURRENT: String(SLOTS),
      ASKDOCS_LLM_MAX_TOKENS: '4000',
      ...settings,
    });
    try {
      return await run(model, service);
    } finally {
      await service.stop();
    }
  } finally {
    await model.stop();
  }
}

/** The same prompt as the service sends, straight to the model. */
async function directly(model: Running, service: Running, cache: boolean): Promise<() => Promise<Timed>> {
  const response = await fetch(`${service.url}/ask?stream=false`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ question: question() }),
  });
  const envelope = askEnvelopeSchema.parse(await response.json());
  if (!envelope.success) throw new Error(envelope.error.message);
  const { sources } = envelope.data;
  return () => {
    const messages = buildPrompt(question(), sources, { secret: new Uint8Array(32) });
    const body = {
      messages,
      stream: true,
      cache_prompt: cache,
      max_tokens: 4000,
      stream_options: { include_usage: true },
    };
    return timed(`${model.url}/v1/chat/completions`, body, DIRECT_MARK);
  };
}

async function logOf(model: Running) {
  return (await (await fetch(`${model.url}/log`)).json()) as Entry[];
}

function firstToken(): Promise<Line[]> {
  // Nothing is cached, and the prompt takes 450 ms: how many tokens it has is asked first.
  return withModel(
    { 'prefill-per-second': 1e6, 'step-ms': 1, 'slot-ms': 1, 'answer-tokens': 8 },
    {},
    async (probe, probed) => {
      await viaService(probed);
      const tokens = (await logOf(probe)).at(-1)?.promptTokens ?? 0;
      const rates = { 'prefill-per-second': tokens / 0.45, 'step-ms': 1, 'slot-ms': 1, 'answer-tokens': 8 };
      return await withModel(rates, { ASKDOCS_LLM_CACHE_PROMPT: 'false' }, async (model, service) => {
        const direct = await directly(model, service, false);
        const [through, straight]: [number[], number[]] = [[], []];
        for (let i = 0; i < 25; i += 1) {
          straight.push((await direct()).firstMs);
          through.push((await viaService(service)).firstMs);
        }
        const [a, b] = [median(through), median(straight)];
        const value = `${a.toFixed(1)} / ${b.toFixed(1)} ms`;
        return [
          {
            name: 'time to first token, service / direct, 450 ms prefill',
            ratio: a / b,
            bound: 1.05,
            atMost: true,
            value,
          },
        ];
      });
    },
  );
}

function throughput(): Promise<Line[]> {
  // A small model: a prompt of 400 fresh tokens in 130 ms, 40 tokens in about a second with four slots at work.
  const rates = { prefillPerSecond: 3000, stepMs: 8, slotMs: 4 };
  const options = {
    'prefill-per-second': rates.prefillPerSecond,
    'step-ms': rates.stepMs,
    'slot-ms': rates.slotMs,
    'answer-tokens': 40,
  };
  return withModel(options, {}, async (model, service) => {
    await closedLoop(service, SLOTS, 2000);
    const before = (await logOf(model)).length;
    const at = await closedLoop(service, SLOTS, 15_000);
    const entries = (await logOf(model)).slice(before).filter((entry) => entry.ended !== null && !entry.cancelled);
    const over = await closedLoop(service, 4 * SLOTS, 15_000);
    const evaluated = mean(entries.map((entry) => entry.promptTokens - entry.cachedTokens));
    const theory = theoreticalRate(
      rates,
      { evaluated, completion: mean(entries.map((entry) => entry.predicted)) },
      SLOTS,
    );
    return [
      {
        name: 'answers a second at the slots / theory',
        ratio: at.perSecond / theory,
        bound: 0.95,
        value: `${at.perSecond.toFixed(2)} / ${theory.toFixed(2)}`,
      },
      {
        name: 'answers a second at four times the slots / at the slots',
        ratio: over.perSecond / at.perSecond,
        bound: 0.97,
        value: `${over.perSecond.toFixed(2)} / ${at.perSecond.toFixed(2)}, ${over.refused} times 503`,
      },
    ];
  });
}

/** Clients that ask again as soon as they are answered, and after Retry-After when they are refused. */
async function closedLoop(service: Running, clients: number, ms: number) {
  const ends: number[] = [];
  let refused = 0;
  const started = performance.now();
  const client = async () => {
    while (performance.now() - started < ms) {
      const answer = await viaService(service);
      if (answer.status === 200) ends.push(performance.now());
      else {
        refused += 1;
        await sleep(answer.retryAfterS * 1000);
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const counted = ends.filter((end) => end - started <= ms).toSorted((a, b) => a - b);
  const [first = 0, last = 0] = [counted[0], counted.at(-1)];
  return { perSecond: ((counted.length - 1) * 1000) / (last - first), refused };
}

function streaming(): Promise<Line[]> {
  const options = { 'prefill-per-second': 1e6, 'step-ms': 0.02, 'slot-ms': 0.02, 'answer-tokens': 2000 };
  return withModel(options, {}, async (model, service) => {
    const direct = await directly(model, service, true);
    const rate = async (one: () => Promise<Timed>) => {
      const started = performance.now();
      const before = (await logOf(model)).length;
      await Promise.all(Array.from({ length: SLOTS }, one));
      const ms = performance.now() - started;
      // Counted where they are made: the service may join in one event what arrived together.
      const tokens = (await logOf(model)).slice(before).reduce((sum, entry) => sum + entry.predicted, 0);
      return (tokens * 1000) / ms;
    };
    const [through, straight]: [number[], number[]] = [[], []];
    for (let i = 0; i < 8; i += 1) {
      straight.push(await rate(direct));
      through.push(await rate(() => viaService(service)));
    }
    // The first rounds warm the compiler.
    const [a, b] = [median(through.slice(2)), median(straight.slice(2))];
    return [
      {
        name: 'streamed tokens a second at saturation, service / direct',
        ratio: a / b,
        bound: 0.5,
        value: `${Math.round(a)} / ${Math.round(b)}`,
      },
    ];
  });
}

async function mcp(): Promise<Line[]> {
  const retriever = createRetriever({ command: standInCommand('typed'), env: {}, limits: LIMITS, log: silentLogger });
  const times: number[] = [];
  for (let i = 0; i < 1200; i += 1) {
    const started = performance.now();
    await retriever.search('What is the default?', 5, new AbortController().signal);
    times.push(performance.now() - started);
  }
  await retriever.close();
  return [
    {
      name: 'one search over MCP that finds at once (median)',
      value: `${Math.round(median(times.slice(200)) * 1000)} microseconds`,
    },
  ];
}
