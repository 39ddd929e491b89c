/** Cuts a passage into the pieces an extractive answer is made of, each with the words around it. Pure. */
import { findCitations } from '../citations.ts';
import type { Source } from '../contract.ts';
import { type Sentence, splitSentences } from '../sentences.ts';
import { stemSet } from '../words.ts';

export interface Unit {
  /** Number of its source. */
  n: number;
  /** Place in its passage, from 0. */
  index: number;
  kind: Sentence['kind'];
  /** As it will be quoted: one line, no anchors, no marks that would read as citations of ours. */
  text: string;
  /** Stems of the piece itself. */
  own: Set<string>;
  /** Stems of the headings above it, the title and the source's name. */
  above: Set<string>;
  /** For an item, a row or code: the sentence that introduces it, as an index; else undefined. */
  lead: number | undefined;
}

/** All pieces of a source in order; headings are context, not pieces. */
export function unitsOf(source: Source): Unit[] {
  const units: Unit[] = [];
  const title = [source.source.replace(/[/_.-]+/g, ' '), source.title, ...source.heading].join(' ');
  let heading = '';
  let columns: string[] = [];
  let lead: number | undefined;
  for (const sentence of splitSentences(source.text)) {
    if (sentence.kind === 'heading') {
      if (sentence.text.includes('|')) columns = cells(sentence.text);
      else heading = sentence.text;
      lead = sentence.text.includes('|') ? lead : undefined;
      continue;
    }
    const text = readable(sentence, columns);
    if (text === '') continue;
    if (sentence.kind === 'prose') lead = undefined;
    const own = stemSet(text);
    const index = units.length;
    units.push({ n: source.n, index, kind: sentence.kind, text, own, above: stemSet(`${title} ${heading}`), lead });
    if (sentence.kind === 'lead') lead = index;
  }
  return units;
}

function readable(sentence: Sentence, columns: readonly string[]): string {
  if (sentence.kind === 'code') return neutral(sentence.text.trimEnd());
  const text = sentence.kind === 'row' ? rowAsText(sentence.text, columns) : sentence.text;
  return neutral(
    text
      .replace(/<!--.*?-->/gs, '')
      .replace(/<a\s[^>]*>\s*<\/a>|<\/?(?:a|p|br|div|span|b|i|em|strong|sup|sub|img)\b[^>]*>/gi, '')
      .replace(/!\[[^\]]*\]\([^)\s]*\)/g, '')
      .replace(/\[((?:[^[\]]|\\.|\[[^[\]]*\])+)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)/g, '$1')
      .replace(/\[([^[\]\d][^[\]]*)\]\[[^\]]*\]/g, '$1')
      .replace(/\s*\n\s*(?:>\s?)*/g, ' ')
      .replace(/\s{2,}/g, ' ')
      .trim(),
  );
}

/** A row with its column names says by itself what it says: `name: level; default: info`. */
function rowAsText(row: string, columns: readonly string[]): string {
  const values = cells(row);
  const named = values.map((value, i) => {
    const column = columns[i] ?? '';
    return value === '' || column === '' || values.length !== columns.length ? value : `${column}: ${value}`;
  });
  return named.filter((value) => value !== '').join('; ');
}

function cells(row: string): string[] {
  const inner = row.trim().replace(/^\||\|$/g, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

/** `[1]` in a document is not a citation of ours: it becomes `(1)`. */
function neutral(text: string): string {
  let result = '';
  let from = 0;
  for (const mark of findCitations(text)) {
    result += `${text.slice(from, mark.start)}(${text.slice(mark.start + 1, mark.end - 1)})`;
    from = mark.end;
  }
  return result + text.slice(from);
}
