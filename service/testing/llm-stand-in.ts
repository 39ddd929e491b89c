/** A model's server for tests, on a real socket, that answers as scripted: one script for each request, the last for the rest. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Seen {
  path: string;
  body: { messages?: { role: string; content: string }[]; [name: string]: unknown };
  headers: IncomingMessage['headers'];
  at: number;
  /** When the connection closed before the answer was whole. */
  cutAt: number | undefined;
}

export type Script = (res: ServerResponse, seen: Seen) => void | Promise<void>;

export interface LlmStandIn {
  /** With `/v1`, as a base URL. */
  url: string;
  /** Chat requests in order. */
  seen: Seen[];
  /** Chat requests being answered. */
  open(): number;
  close(): Promise<void>;
}

/** `props`: what `/props` says, or undefined for 404. `/tokenize` counts four characters a token. */
export async function llmStandIn(scripts: Script | Script[], props?: object): Promise<LlmStandIn> {
  const list = Array.isArray(scripts) ? scripts : [scripts];
  const seen: Seen[] = [];
  let open = 0;
  const server = createServer(async (req, res) => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString('utf8');
    if (req.url === '/props') return sendJson(res, props === undefined ? 404 : 200, props ?? {});
    if (req.url === '/tokenize') {
      const { content } = JSON.parse(text) as { content: string };
      return sendJson(res, 200, { tokens: Array.from({ length: Math.ceil(content.length / 4) }, (_, i) => i) });
    }
    if (req.url !== '/v1/chat/completions') return sendJson(res, req.url === '/v1/models' ? 200 : 404, { data: [] });
    const entry: Seen = {
      path: req.url,
      body: JSON.parse(text),
      headers: req.headers,
      at: performance.now(),
      cutAt: undefined,
    };
    const script = list[Math.min(seen.length, list.length - 1)] as Script;
    seen.push(entry);
    open += 1;
    res.on('close', () => {
      open -= 1;
      if (!res.writableEnded) entry.cutAt = performance.now();
    });
    res.on('error', () => undefined);
    await script(res, entry);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen,
    open: () => open,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const USAGE = { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 90 } };

export function startStream(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  res.flushHeaders();
}

export function chunkText(text: string | null, finish: string | null = null): string {
  return `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta: text === null ? {} : { content: text }, finish_reason: finish }] })}\n\n`;
}

export const usageText = `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [], usage: USAGE })}\n\n`;
export const doneText = 'data: [DONE]\n\n';

/** A whole answer, streamed in these pieces. */
export function answers(pieces: readonly string[], { finish = 'stop', usage = true, delayMs = 0 } = {}): Script {
  return async (res) => {
    startStream(res);
    for (const piece of pieces) {
      res.write(chunkText(piece));
      if (delayMs > 0) await sleep(delayMs);
    }
    res.write(chunkText(null, finish));
    if (usage) res.write(usageText);
    res.end(doneText);
  };
}

/** An error status with a body. */
export function fails(
  status: number,
  body: object = { error: { message: 'no', code: status } },
  headers: Record<string, string> = {},
): Script {
  return (res) => sendJson(res, status, body, headers);
}

/** Some raw text, then the end, or a cut, or nothing more. */
export function raw(
  parts: readonly (string | Uint8Array)[],
  then: 'end' | 'cut' | 'hang' = 'end',
  delayMs = 0,
): Script {
  return async (res) => {
    startStream(res);
    for (const part of parts) {
      res.write(part);
      await sleep(delayMs);
    }
    if (then === 'end') res.end();
    if (then === 'cut') res.destroy();
  };
}

function sendJson(res: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers });
  res.end(JSON.stringify(body));
}
