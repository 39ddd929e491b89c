/** `npm run size`: one sentence that says which limit to set for the model's server at hand, and why. */
import { defineCommand } from 'citty';
import { numberOf } from '../loadtest/options.ts';
import { startStandInProcess } from '../loadtest/processes.ts';
import { advice, type Level, measureLevels } from '../loadtest/size.ts';
import { openTarget } from '../loadtest/target.ts';
import { runCli } from './cli.ts';
import { interruptible } from './interrupt.ts';
import { createProgress } from './progress.ts';

/** About a question with five passages, and a short answer. */
const PROMPT_CHARS = 4000;

const sizeCommand = defineCommand({
  meta: {
    name: 'npm run size --',
    description: 'Which ASKDOCS_MAX_CONCURRENT fits a llama.cpp server, and why; asks the server itself, needs no k6.',
  },
  args: {
    'stand-in': { type: 'boolean', description: 'A deterministic stand-in for the model instead of a real server' },
    llm: {
      type: 'string',
      default: 'http://127.0.0.1:8081',
      description: 'A running llama.cpp server',
      valueHint: 'URL',
    },
    slots: { type: 'string', default: '4', description: 'Slots of the stand-in', valueHint: 'N' },
    seconds: { type: 'string', default: '10', description: 'Shortest measurement of a level', valueHint: 'S' },
    tokens: { type: 'string', default: '64', description: 'Tokens of an answer', valueHint: 'N' },
    format: { type: 'enum', options: ['text', 'json'], default: 'text', description: 'How to print the result' },
  },
  async run({ args }) {
    const progress = createProgress();
    const leastS = numberOf('--seconds', args.seconds, 1, 600);
    const tokens = numberOf('--tokens', args.tokens, 2, 4096);
    const target = await openTarget({
      standIn: args['stand-in'] === true,
      url: args.llm,
      slots: numberOf('--slots', args.slots, 1, 64),
      onProgress: (done, total) => progress.update(done, total, "measuring the server's steps"),
    });
    const standIn = target.root === undefined ? await startStandInProcess(target.standIn) : undefined;
    try {
      const { slots, rates } = target;
      const root = standIn?.url ?? target.root ?? '';
      const levels = await interruptible((signal) =>
        measureLevels({
          root,
          slots,
          rates,
          leastS,
          promptChars: PROMPT_CHARS,
          tokens,
          signal,
          onProgress: progress.update,
        }),
      );
      progress.end();
      print(args.format, slots, levels);
    } finally {
      await standIn?.stop();
    }
  },
});

function print(format: string, slots: number, levels: readonly Level[]): void {
  const sentence = advice(slots, levels);
  process.stdout.write(
    format === 'json' ? `${JSON.stringify({ limit: slots, levels, advice: sentence }, null, 2)}\n` : `${sentence}\n`,
  );
}

// The tree of commands is typed by names alone; this one knows its own options.
process.exitCode = await runCli(
  sizeCommand as unknown as Parameters<typeof runCli>[0],
  process.argv.slice(2),
  process.stderr,
);
