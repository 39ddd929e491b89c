/**
 * A deterministic stand-in for a llama.cpp server, as a process of its own, for load tests: slots with a queue behind
 * them, one prefill at a time (as on a CPU), the prefix cache of each slot, and the API that the service uses.
 *   node --import tsx loadtest/stand-in.ts --port 8081 --slots 4 --prefill-ms 450 --tokens 40 --token-ms 10
 * With --prefill-us-per-token the prefill costs that for each token that is not cached; --prefill-ms is a fixed time.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8081' },
    slots: { type: 'string', default: '4' },
    'prefill-ms': { type: 'string', default: '0' },
    'prefill-us-per-token': { type: 'string', default: '0' },
    tokens: { type: 'string', default: '40' },
    'token-ms': { type: 'string', default: '10' },
    context: { type: 'string', default: '8192' },
  },
});
const slots = Number(values.slots);
const tokens = Number(values.tokens);
const tokenMs = Number(values['token-ms']);

interface Slot {
  busy: boolean;
  /** The prompt it holds: what a later one shares with it from the start is not evaluated again. */
  held: string;
}
const pool: Slot[] = Array.from({ length: slots }, () => ({ busy: false, held: '' }));
const waiting: (() => void)[] = [];
let prefill: Promise<void> = Promise.resolve();
let answered = 0;

const server = createServer((req, res) => {
  handle(req, res).catch(() => res.destroy());
});
server.listen(Number(values.port), '127.0.0.1', () => process.stderr.write(`stand-in on ${values.port}\n`));

async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = await read(req);
  const path = req.url?.split('?')[0];
  if (path === '/v1/chat/completions') return chat(JSON.parse(body) as ChatRequest, res);
  if (path === '/tokenize')
    return json(res, {
      tokens: Array.from({ length: count((JSON.parse(body) as { content: string }).content) }, (_, i) => i),
    });
  if (path === '/props')
    return json(res, {
      total_slots: slots,
      default_generation_settings: { n_ctx: Number(values.context) },
      chat_template: '',
    });
  if (path === '/slots')
    return json(
      res,
      pool.map((slot, id) => ({ id, is_processing: slot.busy })),
    );
  if (path === '/stand-in') return json(res, { answered, waiting: waiting.length });
  if (path === '/health' || path === '/v1/models') return json(res, { status: 'ok', data: [] });
  res.writeHead(404).end();
}

interface ChatRequest {
  messages: { role: string; content: string }[];
  max_tokens?: number;
  cache_prompt?: boolean;
}

async function chat(request: ChatRequest, res: ServerResponse): Promise<void> {
  const prompt = request.messages.map((message) => `<${message.role}>${message.content}`).join('\n');
  const gone = new AbortController();
  res.on('close', () => gone.abort());
  const slot = await takeSlot(prompt, gone.signal);
  if (slot === undefined) return;
  try {
    const cached =
      request.cache_prompt === false ? 0 : Math.min(count(commonPrefix(slot.held, prompt)), count(prompt) - 1);
    slot.held = prompt;
    await evaluate(count(prompt) - cached, gone.signal);
    await generate(res, Math.min(tokens, request.max_tokens ?? tokens), count(prompt), cached, gone.signal);
    answered += 1;
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  } finally {
    slot.busy = false;
    waiting.shift()?.();
  }
}

/** The free slot that shares most with the prompt; waits in line where there is none. */
async function takeSlot(prompt: string, signal: AbortSignal): Promise<Slot | undefined> {
  for (;;) {
    if (signal.aborted) return undefined;
    const free = pool.filter((slot) => !slot.busy);
    const best = free.toSorted((a, b) => commonPrefix(b.held, prompt).length - commonPrefix(a.held, prompt).length)[0];
    if (best !== undefined) {
      best.busy = true;
      return best;
    }
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

/** One prompt after the other, as on one processor. */
async function evaluate(fresh: number, signal: AbortSignal): Promise<void> {
  const ms = Number(values['prefill-ms']) + (fresh * Number(values['prefill-us-per-token'])) / 1000;
  const before = prefill;
  let done: () => void = () => undefined;
  prefill = new Promise((resolve) => {
    done = resolve;
  });
  try {
    await before;
    if (ms > 0) await sleep(ms, undefined, { signal });
  } finally {
    done();
  }
}

async function generate(
  res: ServerResponse,
  length: number,
  promptTokens: number,
  cached: number,
  signal: AbortSignal,
): Promise<void> {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const started = performance.now();
  for (let i = 0; i < length; i += 1) {
    // Against the clock, so that late timers do not add up.
    const late = started + i * tokenMs - performance.now();
    if (late > 0) await sleep(late, undefined, { signal });
    const text = i === length - 1 ? ' [1].' : `${i === 0 ? '' : ' '}word${i}`;
    if (!res.write(chunk({ choices: [{ index: 0, delta: { content: text }, finish_reason: null }] })))
      await drained(res, signal);
  }
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: length,
    prompt_tokens_details: { cached_tokens: cached },
  };
  res.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
  res.write(chunk({ choices: [], usage, timings: { cache_n: cached, prompt_n: promptTokens - cached } }));
  res.end('data: [DONE]\n\n');
}

function drained(res: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    res.once('drain', resolve);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function chunk(data: object): string {
  return `data: ${JSON.stringify({ id: 'stand-in', object: 'chat.completion.chunk', created: 0, model: 'stand-in', ...data })}\n\n`;
}

/** Four characters a token. */
function count(text: string): number {
  return Math.ceil(text.length / 4);
}

function commonPrefix(a: string, b: string): string {
  let end = 0;
  while (end < a.length && a[end] === b[end]) end += 1;
  return a.slice(0, end);
}

async function read(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function json(res: ServerResponse, data: unknown): void {
  res.writeHead(200, { 'content-type': 'application/json' });
  res.end(JSON.stringify(data));
}
