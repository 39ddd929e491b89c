/**
 * A deterministic stand-in for a llama.cpp server, on a real socket: the same paths, order of events and accounting,
 * with rates that are given. It keeps a log of its own (`GET /log`), against which what clients measured is checked.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerTokens } from './answer.ts';
import { promptTokens } from './cache.ts';
import { accounts, type ChatRequest, chunk, endChunks, errorBody, promptOf } from './chat.ts';
import { realClock } from './clock.ts';
import { createEngine, type Engine, type Entry, type Rates } from './engine.ts';

export interface StandInOptions {
  port?: number;
  slots?: number;
  /** Tokens of one slot, prompt and answer together. */
  context?: number;
  rates?: Rates;
  /** Mean tokens of an answer; each is within a quarter of it. */
  answerTokens?: number;
}

export interface StandIn {
  /** With `/v1`, as a base URL. */
  url: string;
  log(): readonly Entry[];
  close(): Promise<void>;
}

/** About a 3B model on a small GPU: a prompt of 1000 tokens takes a third of a second, an answer two to three. */
export const RATES: Rates = { prefillPerSecond: 3000, stepMs: 16, slotMs: 4 };
export const ANSWER_TOKENS = 72;

export async function startStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const { slots = 4, context = 8192, rates = RATES, answerTokens: mean = ANSWER_TOKENS } = options;
  const engine = createEngine({ slots, rates, clock: realClock });
  const log: Entry[] = [];
  const server = createServer(async (req, res) => {
    const arrived = realClock.now();
    try {
      const body = await readBody(req);
      const path = new URL(req.url ?? '/', 'http://localhost').pathname;
      if (path === '/v1/chat/completions') chat(res, JSON.parse(body), { engine, context, mean, log, arrived });
      else describe(res, path, body, { engine, slots, context, log });
    } catch (error) {
      sendJson(res, 400, errorBody(400, 'invalid_request_error', String(error)));
    }
  });
  // As llama.cpp does; a client that keeps connections longer meets a closed one.
  server.keepAliveTimeout = 5000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    log: () => log,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface ChatDeps {
  engine: Engine;
  context: number;
  mean: number;
  log: Entry[];
  /** When the head of the request came: its body takes time too. */
  arrived: number;
}

function chat(res: ServerResponse, request: ChatRequest, { engine, context, mean, log, arrived }: ChatDeps): void {
  const prompt = promptOf(request.messages);
  const size = promptTokens(prompt);
  if (size >= context) {
    const more = { n_prompt_tokens: size, n_ctx: context };
    const message = `request (${size} tokens) exceeds the available context size (${context} tokens), try increasing it`;
    sendJson(res, 400, errorBody(400, 'exceed_context_size_error', message, more));
    return;
  }
  const whole = answerTokens(prompt, mean);
  const most = Math.min(request.max_tokens ?? whole.length, context - size);
  const answer = whole.slice(0, most);
  const said: string[] = [];
  const job = engine.submit({
    prompt,
    arrived,
    cachePrompt: request.cache_prompt ?? true,
    answer,
    // As llama.cpp does: headers when a slot takes the request, the first event with the first token.
    onStart: () => request.stream === true && startStream(res),
    onToken(text) {
      said.push(text);
      if (request.stream !== true) return;
      if (said.length === 1) res.write(chunk({ role: 'assistant', content: null }));
      res.write(chunk({ content: text }));
    },
    onEnd() {
      const finish = answer.length < whole.length ? 'length' : 'stop';
      const withUsage = request.stream_options?.include_usage === true;
      if (request.stream === true) res.end(endChunks(finish, job.entry, withUsage));
      else {
        const message = { role: 'assistant', content: said.join('') };
        const choices = [{ index: 0, message, finish_reason: finish }];
        sendJson(res, 200, { object: 'chat.completion', choices, ...accounts(job.entry) });
      }
    },
  });
  log.push(job.entry);
  res.on('close', () => job.cancel());
}

interface About {
  engine: Engine;
  slots: number;
  context: number;
  log: readonly Entry[];
}

function describe(res: ServerResponse, path: string, body: string, { engine, slots, context, log }: About): void {
  if (path === '/health') sendJson(res, 200, { status: 'ok' });
  else if (path === '/v1/models') sendJson(res, 200, { object: 'list', data: [{ id: 'stand-in', object: 'model' }] });
  else if (path === '/props') {
    const about = { model_alias: 'stand-in', model_path: 'stand-in', build_info: 'stand-in' };
    sendJson(res, 200, { default_generation_settings: { n_ctx: context }, total_slots: slots, ...about });
  } else if (path === '/slots') {
    const list = engine.slots().map((entry, id) => ({ id, n_ctx: context, is_processing: entry !== null }));
    sendJson(res, 200, list);
  } else if (path === '/tokenize') {
    const { content } = JSON.parse(body) as { content: string };
    sendJson(res, 200, { tokens: Array.from({ length: promptTokens(content) }, (_, i) => i) });
  } else if (path === '/log') sendJson(res, 200, log);
  else sendJson(res, 404, errorBody(404, 'not_found_error', 'File Not Found'));
}

function startStream(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no', server: 'stand-in' });
  res.flushHeaders();
}

function sendJson(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  res.end(JSON.stringify(body));
}

async function readBody(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
