/** The four scenes of the demo, over plain HTTP as any client would ask. */
import { styleText } from 'node:util';
import type { AskEvent, Stats } from '../service/contract.ts';
import { askService } from './ask-client.ts';
import { AnswerPrinter } from './ask-print.ts';

interface Demo {
  url: string;
  out: NodeJS.WriteStream;
}

const QUESTIONS = [
  {
    title: 'A cited answer, streamed as it is written',
    question: 'What is the default body limit of a fastify server?',
  },
  {
    title: 'A question that takes two documents',
    question: 'What is the default keepAliveTimeout of a fastify server, and of an undici client?',
  },
  {
    title: 'A question the documents say nothing about: refused before any model is called',
    question: 'How long do I poach an egg?',
  },
] as const;

/** Asks the questions one after the other and shows what the service measured meanwhile. */
export async function playScenes(demo: Demo): Promise<void> {
  for (const { title, question } of QUESTIONS) {
    scene(demo, title);
    await ask(demo, question);
  }
  scene(demo, 'What that took, from GET /stats');
  const response = await fetch(`${demo.url}/stats`);
  demo.out.write(latencies((await response.json()) as Stats));
}

function scene({ out }: Demo, text: string): void {
  out.write(`\n${styleText('cyan', `— ${text}`)}\n`);
}

async function ask({ url, out }: Demo, question: string): Promise<void> {
  out.write(`${styleText('bold', question)}\n\n`);
  const printer = new AnswerPrinter(out, 'text');
  for await (const event of askService(url, { question }, AbortSignal.timeout(30_000))) {
    if (event.event === 'error') throw new Error(`the service failed in ${event.data.stage}: ${event.data.message}`);
    printer.take(event);
    if (event.event === 'done') out.write(note(event));
  }
}

function note({ data }: Extract<AskEvent, { event: 'done' }>): string {
  const { retrieval_ms, total_ms } = data.timings;
  const how = data.refusal === 'gate' ? 'no model was called' : `${data.citations.length} citations checked`;
  return styleText('dim', `\n${how}; ${total_ms.toFixed(0)} ms, retrieval ${retrieval_ms.toFixed(0)} ms\n`);
}

function latencies({ answers, refusals, window }: Stats): string {
  const lines = [`${answers} answers, ${refusals.gate} refused by the evidence gate`];
  for (const stage of ['retrieval_ms', 'ttft_ms', 'generation_ms', 'total_ms'] as const) {
    const { p50, p95 } = window[stage];
    lines.push(`${stage.replace('_ms', '').padEnd(12)} p50 ${show(p50)}  p95 ${show(p95)}`);
  }
  return `${lines.join('\n')}\n`;
}

function show(ms: number | null): string {
  return ms === null ? '     -' : `${ms.toFixed(1).padStart(6)} ms`;
}
