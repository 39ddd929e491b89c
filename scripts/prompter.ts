/** Questions at a terminal, or to piped lines: a line that came before its question is kept for it. */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface Prompter {
  /** The next line without its end; null at the end of input. */
  ask(question: string): Promise<string | null>;
  show(text: string): void;
  close(): void;
}

export function createPrompter(
  input: Readable = process.stdin,
  output: { write(text: string): unknown } = process.stderr,
): Prompter {
  const lines: string[] = [];
  let ended = false;
  let wake = () => {};
  const reader = createInterface({ input });
  reader.on('line', (line) => {
    lines.push(line);
    wake();
  });
  reader.on('close', () => {
    ended = true;
    wake();
  });
  return {
    async ask(question) {
      output.write(question);
      while (lines.length === 0 && !ended) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return lines.shift() ?? null;
    },
    show: (text) => void output.write(`${text}\n`),
    close: () => reader.close(),
  };
}
