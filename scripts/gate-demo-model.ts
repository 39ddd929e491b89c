/**
 * A model for the gate's demonstration: it answers word for word as a recorded run did, and cites as it is told. So nothing differs from
 * the record but the citations, and what the gate finds is them. It speaks the OpenAI protocol, as llama.cpp does.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunRecords } from '../harness/run.ts';
import { REFUSAL_SENTENCE } from '../service/contract.ts';

export interface Habit {
  /** From the number the record cites and how many passages there are to the number it cites instead. */
  cite(n: number, passages: number): number;
  /** What it says where the record has no answer. */
  otherwise: string;
}

export const HABITS = {
  'next-passage': { cite: (n, passages) => (n % passages) + 1, otherwise: REFUSAL_SENTENCE },
  'out-of-range': { cite: (n, passages) => n + passages, otherwise: REFUSAL_SENTENCE },
  /** As small models do: given passages, it always says something. */
  'never-refuses': { cite: (n) => n, otherwise: 'That depends on how it was set up; the default suits most uses [1].' },
} as const satisfies Record<string, Habit>;

export interface DemoModel {
  /** With `/v1`. */
  url: string;
  close(): Promise<void>;
}

export async function startDemoModel(recorded: RunRecords, habit: Habit): Promise<DemoModel> {
  const answers = answersOf(recorded, habit);
  const server = createServer((request, response) => void reply(request, response, answers, habit.otherwise));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Known {
  question: string;
  answer: string;
}

/** Longest question first: a short one may stand inside another. */
function answersOf({ cases, answers }: RunRecords, habit: Habit): Known[] {
  const said = new Map(answers.filter(({ run }) => run === 1).map((record) => [record.case_id, record]));
  return cases
    .map(({ id, question }): Known => {
      const record = said.get(id);
      const shown = record?.sources.length ?? 0;
      const text = record?.answer?.refused === false ? record.answer.answer : habit.otherwise;
      return {
        question,
        answer: text.replace(/\[(\d+)\]/g, (_, n) => `[${habit.cite(Number(n), Math.max(1, shown))}]`),
      };
    })
    .sort((a, b) => b.question.length - a.question.length);
}

async function reply(
  request: IncomingMessage,
  response: ServerResponse,
  answers: readonly Known[],
  otherwise: string,
): Promise<void> {
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    response.writeHead(404).end();
    return;
  }
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { messages } = JSON.parse(Buffer.concat(parts).toString('utf8')) as { messages: { content: string }[] };
  const prompt = messages.at(-1)?.content ?? '';
  // The question is the last thing in the prompt; a passage may well quote one.
  const found = answers.map((known) => ({ known, at: prompt.lastIndexOf(known.question) })).filter(({ at }) => at >= 0);
  const last = Math.max(...found.map(({ at, known }) => at + known.question.length));
  const answer = found.find(({ at, known }) => at + known.question.length === last)?.known.answer ?? otherwise;
  stream(response, answer);
}

function stream(response: ServerResponse, answer: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (choice: object, more: object = {}) =>
    response.write(
      `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }], ...more })}\n\n`,
    );
  for (const piece of answer.match(/[\s\S]{1,80}/g) ?? []) send({ delta: { content: piece }, finish_reason: null });
  send({ delta: {}, finish_reason: 'stop' }, { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } });
  response.end('data: [DONE]\n\n');
}
