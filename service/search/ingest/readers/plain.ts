/** Plain text: paragraphs divided by blank lines; the first short line is the title. */
import type { Block, Document } from '../document.ts';

export function readPlain(text: string): Document {
  const blocks: Block[] = [];
  for (const match of text.matchAll(/\S[^\n\r]*(?:\r?\n(?!\s*\r?\n)[^\n\r]+)*/g)) {
    blocks.push({ kind: 'text', start: match.index, end: match.index + match[0].trimEnd().length });
  }
  const first = /^\s*(\S[^\n\r]*)/.exec(text)?.[1]?.trim() ?? '';
  return {
    title: first.length <= 100 ? first : '',
    text,
    sections: blocks.length > 0 ? [{ heading: [], blocks }] : [],
    lined: true,
  };
}
