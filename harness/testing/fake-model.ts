/** An OpenAI-compatible server over a real socket that answers a judge as a test wants. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ModelRequest {
  messages: { role: string; content: string }[];
  max_tokens: number;
  logprobs: boolean;
}

export type ModelReply = { text: string; logprobs?: [string, number][] } | { status: number; message: string };

export async function fakeModel(
  reply: (request: ModelRequest, nth: number) => ModelReply,
): Promise<{ baseUrl: string; requests: ModelRequest[]; mostAtOnce: () => number }> {
  const requests: ModelRequest[] = [];
  let [open, most] = [0, 0];
  const server = createServer((request, response) => {
    // What a judge asks about the model itself: this server tells nothing.
    if (request.method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    let body = '';
    open += 1;
    most = Math.max(most, open);
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', async () => {
      const parsed = JSON.parse(body) as ModelRequest;
      requests.push(parsed);
      const said = reply(parsed, requests.length);
      await new Promise((resolve) => setTimeout(resolve, 5));
      open -= 1;
      response.writeHead('status' in said ? said.status : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify('status' in said ? { error: { message: said.message } } : completion(said)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    mostAtOnce: () => most,
  };
}

function completion({ text, logprobs }: { text: string; logprobs?: [string, number][] }) {
  const top = logprobs?.map(([token, p]) => ({ token, logprob: Math.log(p) }));
  const content = top === undefined ? null : { content: [{ token: text, logprob: 0, top_logprobs: top }] };
  return {
    choices: [{ message: { role: 'assistant', content: text }, logprobs: content }],
    usage: { prompt_tokens: 10, completion_tokens: 1 },
  };
}
