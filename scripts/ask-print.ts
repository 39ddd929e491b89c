/** Prints an answer as it streams, then its sources. */
import type { Answer, AskEvent, Passage, Source } from '../service/contract.ts';
import { placeText, safeLink } from '../service/place.ts';

interface Out {
  write(text: string): unknown;
  isTTY?: boolean | undefined;
}

export class AnswerPrinter {
  private readonly out: Out;
  private readonly format: 'text' | 'json';
  private sources: Source[] = [];
  private inLine = false;

  constructor(out: Out, format: 'text' | 'json') {
    this.out = out;
    this.format = format;
  }

  take(event: AskEvent): void {
    if (event.event === 'sources') this.sources = event.data.sources;
    else if (event.event === 'token' && this.format === 'text') {
      this.out.write(event.data.text);
      this.inLine = true;
    } else if (event.event === 'done') {
      if (this.format === 'json')
        this.out.write(`${JSON.stringify({ ...event.data, sources: this.sources }, null, 2)}\n`);
      else this.finish(event.data);
    }
  }

  /** An error cuts the answer: what follows starts on a line of its own. */
  breakOff(): void {
    if (this.inLine) this.out.write('\n');
  }

  private finish(answer: Answer): void {
    this.out.write('\n');
    if (answer.truncated) this.out.write('\n(The answer was cut by the limit of tokens.)\n');
    if (answer.refused) {
      this.list('\nWhat came closest:\n', answer.nearest, () => '-');
      return;
    }
    const cited = this.sources.filter((source) => answer.citations.includes(source.n));
    this.list('\nSources:\n', cited, (source) => `[${source.n}]`);
    if (answer.invalid_citations.length > 0) {
      this.out.write(`\nCited, but not among the sources: ${answer.invalid_citations.join(', ')}\n`);
    }
  }

  private list<T extends Passage>(head: string, passages: readonly T[], mark: (passage: T) => string): void {
    if (passages.length > 0) this.out.write(head);
    for (const passage of passages) {
      const heading = passage.heading.filter((part) => part !== passage.title).join(' > ');
      const place = placeText(passage);
      const where = `${heading === '' ? '' : `  (${heading})`}${place === '' ? '' : `, ${place}`}`;
      const link = safeLink(passage);
      this.out.write(`  ${mark(passage)} ${passage.source}${where}${link === undefined ? '' : `\n      ${link}`}\n`);
    }
  }
}
