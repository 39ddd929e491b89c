import { describe, expect, it } from 'vitest';
import { checkCitations } from '../citations.ts';
import { REFUSAL_SENTENCE, type Source } from '../contract.ts';
import { quoteFinder } from '../quotes.ts';
import { extract } from './extractive.ts';

const source = (n: number, text: string, over: Partial<Source> = {}): Source => ({
  n, used: true, source: `file-${n}.md`, title: '', heading: [], text, start: null, end: null, cosine: null, bm25: 1, fusion: 1, ...over,
}); // biome-ignore format: one record
const answer = (question: string, ...sources: Source[]) => extract(question, sources).join('');

describe('the extractive answer', () => {
  it('quotes what covers the question, each sentence with its citation', () => {
    const text = 'Penguins are birds. The option `bodyLimit` sets the largest body. Its default is 1048576 bytes.';
    const given = answer('What is the default of bodyLimit?', source(1, text));
    expect(given).toContain('The option `bodyLimit` sets the largest body. [1] Its default is 1048576 bytes. [1]');
  });

  it('finds the fact under a heading that names it', () => {
    const given = answer(
      'What is the default bodyLimit?',
      source(1, '### `bodyLimit`\n\n- Default: `1048576` (1MiB)\n\nDefines the maximum payload.', {
        heading: ['Factory', 'bodyLimit'],
      }),
    );
    expect(given).toContain('- Default: `1048576` (1MiB) [1]');
  });

  it('draws on two passages when the question needs both', () => {
    const given = answer(
      'Which port does the server use and where does the logger write?',
      source(1, 'The server listens on port 3000.'),
      source(2, 'The logger writes to stdout.'),
    );
    expect(given).toBe('The server listens on port 3000. [1]\n\nThe logger writes to stdout. [2]');
  });

  it('a table row says its columns; a list keeps the sentence that introduces it', () => {
    const table = source(1, '| name | default |\n| --- | --- |\n| bodyLimit | 1 MiB |\n| port | 3000 |');
    expect(answer('What is the default of bodyLimit?', table)).toContain('- name: bodyLimit; default: 1 MiB [1]');
    const list = source(1, 'The log levels are:\n\n- trace, for all\n- fatal, for the end of the process');
    expect(answer('Which log level is for the end of the process?', list)).toMatch(
      /^The log levels are: \[1\]\n(?:- .*\n)*- fatal, for the end of the process \[1\]/,
    );
  });

  it('code is a block with its citation behind it, and a long listing is left out', () => {
    const code = '```js\napp.listen({ port: 3000 })\n```';
    expect(answer('How do I listen on a port?', source(1, `Listen on a port so:\n\n${code}`))).toContain(
      `${code}\n[1]`,
    );
    const long = `\`\`\`js\n${'app.listen({ port: 3000 })\n'.repeat(60)}\`\`\``;
    expect(answer('How do I listen on a port?', source(1, `Listen on a port so.\n\n${long}`))).not.toContain('```');
  });

  it('marks of the documents that read as citations, anchors and links are made harmless', () => {
    const given = answer(
      'What is the limit?',
      source(1, 'The <a id="x"></a>limit [9] is\nset by [the option](a.md) `arr[0]`.'),
    );
    expect(given).toBe('The limit (9) is set by the option `arr[0]`. [1]');
    expect(checkCitations(given, 1)).toMatchObject({ citations: [1], invalid: [] });
  });

  it('refuses when nothing fits, when there is nothing, and says nothing of passages left out', () => {
    expect(answer('Who won the chess olympiad?', source(1, 'The server listens on port 3000.'))).toBe(REFUSAL_SENTENCE);
    expect(answer('What?')).toBe(REFUSAL_SENTENCE);
    expect(answer('Which port?', source(1, 'Port 3000.', { used: false }))).toBe(REFUSAL_SENTENCE);
  });

  it('trusts the embedder for other words and other languages', () => {
    expect(
      answer('Auf welchem Anschluss lauscht er?', source(1, 'The server listens on port 3000.', { cosine: 0.5 })),
    ).toContain('port 3000');
  });

  it('is the same each time, within its length, and every sentence is cited and supported', () => {
    const sources = Array.from({ length: 5 }, (_, i) =>
      source(
        i + 1,
        `The limit ${i} of the server is ${i} MiB. ${'It may be changed by an option of the route. '.repeat(3)}\n\n- limit ${i}: a number\n- other ${i}`,
      ),
    );
    const given = answer('What is the limit of the server?', ...sources);
    expect(answer('What is the limit of the server?', ...sources)).toBe(given);
    expect(given.length).toBeLessThan(2000);
    const checked = checkCitations(given, 5);
    expect(checked).toMatchObject({ invalid: [], uncited: [] });
    for (const { text, citations } of checked.sentences) {
      expect(quoteFinder(sources[citations[0]! - 1]!.text)(text)?.score).toBe(1);
    }
  });
});
