/** Finds the piece of a passage that best supports a sentence. Pure, no model. */
import { stripCitations } from './citations.ts';
import type { Quote } from './contract.ts';
import { type Sentence, splitSentences } from './sentences.ts';
import { contentWords } from './words.ts';

/** Least share of a sentence's content words that a quote must hold; below it the passage supports nothing shown. */
export const MIN_QUOTE_SCORE = 0.5;
/** Longest quote, in sentences and in characters: what a reader takes in at a glance. */
const MAX_SENTENCES = 3;
const MAX_CHARS = 600;

interface Piece {
  start: number;
  end: number;
  stems: Set<string>;
}

/**
 * The best window of up to three sentences (or lines of code) of `passage`: `passage.slice(start, end) === text`. Score: share of
 * the distinct content words of `sentence` in it; of equals the shortest, then the first. Null below MIN_QUOTE_SCORE.
 */
export function bestQuote(sentence: string, passage: string): Quote | null {
  return quoteFinder(passage)(sentence);
}

/** As bestQuote, for many sentences of one passage. */
export function quoteFinder(passage: string): (sentence: string) => Quote | null {
  const pieces = splitSentences(passage).flatMap((unit) => toPieces(unit));
  return (sentence) => {
    const wanted = [...new Set(contentWords(stripCitations(sentence)).map((word) => word.stem))];
    if (wanted.length === 0) return null;
    const best = bestWindow(pieces, wanted);
    if (best === undefined || best.score < MIN_QUOTE_SCORE) return null;
    return { text: passage.slice(best.start, best.end), ...best };
  };
}

function bestWindow(pieces: readonly Piece[], wanted: readonly string[]) {
  let best: { start: number; end: number; score: number } | undefined;
  for (let from = 0; from < pieces.length; from += 1) {
    const found = new Set<string>();
    for (let to = from; to < Math.min(pieces.length, from + MAX_SENTENCES); to += 1) {
      const { start } = pieces[from] as Piece;
      const { end, stems } = pieces[to] as Piece;
      if (to > from && end - start > MAX_CHARS) break;
      for (const stem of wanted) if (stems.has(stem)) found.add(stem);
      const score = found.size / wanted.length;
      const shorter = best !== undefined && score === best.score && end - start < best.end - best.start;
      if (best === undefined || score > best.score || shorter) best = { start, end, score };
    }
  }
  return best;
}

/** A block of code is taken line by line, everything else as it is. */
function toPieces(unit: Sentence): Piece[] {
  if (unit.kind !== 'code') return [{ start: unit.start, end: unit.end, stems: stems(unit.text) }];
  const pieces: Piece[] = [];
  let at = unit.start;
  for (const line of unit.text.split('\n')) {
    const end = at + line.trimEnd().length;
    if (/[\p{L}\p{N}]/u.test(line))
      pieces.push({ start: at + (line.length - line.trimStart().length), end, stems: stems(line) });
    at += line.length + 1;
  }
  return pieces;
}

function stems(text: string): Set<string> {
  return new Set(contentWords(text).map((word) => word.stem));
}
