/**
 * `npm run bench:judge`: how many prompt tokens a verdict costs when eight sentences are judged on one passage, against eight prompts that
 * share nothing. On the real llama.cpp server: the tiny model, started here, or any at --url. Prints one JSON object.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type LlmJudgeOptions, llmJudge } from '../harness/judges/llm.ts';
import { interruptible } from './interrupt.ts';
import { startLlama } from './llama-phase.ts';

const SENTENCES = [
  'The server refuses bodies larger than one mebibyte.',
  'Requests are logged by default.',
  'A plugin may decorate the reply.',
  'Hooks run in the order in which they were registered.',
  'The timeout is given in milliseconds.',
  'Errors are answered with status 500.',
  'Routes can be declared with a prefix.',
  'Schemas are compiled when the server starts.',
];
const PASSAGE = Array.from(
  { length: 24 },
  (_, index) =>
    `Option number ${index + 1} decides what the server does with a request of kind ${index + 1}: it is read once at the start, and a change needs a restart.`,
).join('\n');
const GOAL = 0.25;

const { values } = parseArgs({ options: { url: { type: 'string' }, model: { type: 'string', default: 'default' } } });
process.exitCode = await interruptible(bench);

async function bench(signal: AbortSignal): Promise<number> {
  const llama = values.url === undefined ? await startLlama('tiny', 4, signal) : null;
  try {
    const baseUrl = llama?.baseUrl ?? values.url ?? '';
    const shared = await judgeAll(baseUrl, signal, () => PASSAGE);
    // The first words differ, so that nothing of a passage is in any cache.
    const apart = await judgeAll(baseUrl, signal, (index) => `${randomBytes(8).toString('hex')} ${index}\n${PASSAGE}`);
    const perVerdict = shared.evaluated / SENTENCES.length;
    const ratio = shared.evaluated / apart.evaluated;
    const result = {
      model: llama?.model ?? values.model,
      sentences: SENTENCES.length,
      shared,
      apart,
      perVerdict,
      ratio,
      goal: GOAL,
      met: ratio <= GOAL,
    };
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    return result.met ? 0 : 1;
  } finally {
    await llama?.stop();
  }
}

/** Prompt tokens of all eight questions, and how many of them the server computed. */
async function judgeAll(
  baseUrl: string,
  signal: AbortSignal,
  contextOf: (index: number) => string,
): Promise<{ prompt: number; evaluated: number; seconds: number }> {
  const sum = { prompt: 0, evaluated: 0, seconds: 0 };
  const onCompletion: LlmJudgeOptions['onCompletion'] = ({ promptTokens, evaluatedTokens }) => {
    sum.prompt += promptTokens ?? 0;
    sum.evaluated += evaluatedTokens ?? promptTokens ?? 0;
  };
  const judge = llmJudge({
    baseUrl,
    model: values.model,
    secret: randomBytes(16).toString('hex'),
    timeoutMs: 600_000,
    onCompletion,
  });
  const started = performance.now();
  for (const [index, claim] of SENTENCES.entries()) await judge.judge({ claim, context: contextOf(index) }, signal);
  sum.seconds = Math.round((performance.now() - started) / 100) / 10;
  return sum;
}
