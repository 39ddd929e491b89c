/** A service that speaks the contract over a real socket and says what a test wants it to say. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, type AskEvent, type Passage, REFUSAL_SENTENCE } from '../../service/contract.ts';

export interface FakeService {
  url: string;
  /** Questions that reached /ask, in order of arrival, refused ones included. */
  asked: string[];
  close(): Promise<void>;
}

export type Reply = (
  question: string,
  nth: number,
) => AskEvent[] | { status: number; retryAfter?: string } | { raw: string };

export async function startFakeService(
  reply: Reply,
  options: { delayMs?: number; maxConcurrent?: number } = {},
): Promise<FakeService> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    void handle(request, response, reply, asked, options).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function passage(source: string, text: string): Passage {
  return { source, title: '', heading: [], start: 0, end: text.length, cosine: null, bm25: 1, fusion: 1, text };
}

/** The events of an answer from these passages. */
export function say(answer: string, passages: Passage[], change: Partial<Answer> = {}): AskEvent[] {
  const sources = passages.map((item, index) => ({ ...item, n: index + 1, used: true }));
  const done: Answer = {
    answer,
    citations: [],
    invalid_citations: [],
    refused: false,
    refusal: null,
    truncated: false,
    usage: { prompt_tokens: 10, completion_tokens: 5 },
    timings: { retrieval_ms: 1, ttft_ms: 2, generation_ms: 3, total_ms: 4 },
    trace_id: Math.random().toString(16).slice(2),
    cost_usd: 0,
    evidence: [],
    nearest: [],
    ...change,
  };
  return [
    { event: 'sources', data: { sources } },
    { event: 'token', data: { text: answer } },
    { event: 'done', data: done },
  ];
}

export function refuse(): AskEvent[] {
  return say(REFUSAL_SENTENCE, [], { refused: true, refusal: 'gate', usage: null });
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  asked: string[],
  options: { delayMs?: number; maxConcurrent?: number },
): Promise<void> {
  const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  if (request.url === '/healthz') {
    json(200, {
      status: 'ok',
      in_flight: 0,
      max_concurrent: options.maxConcurrent ?? 2,
      provider: 'fake',
      model: 'fake',
      search: 'lexical',
      notes: [],
    });
    return;
  }
  const { question } = JSON.parse(await bodyOf(request)) as { question: string };
  const nth = asked.length + 1;
  const wanted = request.url === '/ask' ? reply(question, nth) : say('', [passage('docs/a.md', 'Text.')]);
  if (request.url === '/search') {
    const passages = [passage('docs/a.md', 'Alpha is 5.'), passage('docs/b.md', 'Beta is 7.')];
    json(200, { success: true, data: { passages, ungated: true, mode: 'lexical', retrieval_ms: 1 }, error: null });
    return;
  }
  asked.push(question);
  await new Promise((resolve) => setTimeout(resolve, options.delayMs ?? 0));
  if ('status' in wanted) {
    const headers: Record<string, string> = wanted.retryAfter === undefined ? {} : { 'retry-after': wanted.retryAfter };
    const error = { code: 'busy', message: 'every slot is taken' };
    json(wanted.status, { success: false, data: null, error }, headers);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if ('raw' in wanted) response.end(wanted.raw);
  else response.end(wanted.map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join(''));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
