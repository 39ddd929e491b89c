/**
 * BM25 in memory, with every choice open that SQLite's does not leave: what its defaults give is what FTS5 gives
 * (bm25.test.ts). For studies only: it holds the whole index.
 */
import { affordable, byScore, postingsOf, type Scored } from '../../service/search/lexical.ts';
import { withoutMarkup } from '../../service/search/text/markup.ts';
import { parseQuery } from '../../service/search/text/query.ts';
import { tokenize } from '../../service/search/text/tokens.ts';
import type { StudyPassage } from './sets.ts';

export interface Choices {
  /** Of a document. */
  tokens: (text: string) => string[];
  /** Of a question. */
  asked: (text: string) => string[];
  title: number;
  heading: number;
  /** `floored` is FTS5's, nothing for a word in half of the passages or more; `positive` is Lucene's. */
  idf: 'floored' | 'positive';
  k1: number;
  b: number;
  /** As the service lets the rarest words alone find candidates: for an index of so many passages. 0: the set's own size. */
  asIn: number;
  /** Whether the words left out still score the passages that the others found. */
  scored: boolean;
}

export const DEFAULTS: Choices = {
  tokens: tokenize,
  asked: (text) => parseQuery(text).words.flatMap((word) => word.tokens),
  title: 1,
  heading: 2,
  idf: 'floored',
  k1: 1.2,
  b: 0.75,
  asIn: 0,
  scored: true,
};

export interface Bm25 {
  /** Best first; without a limit every passage that has a word of the question. */
  search(question: string, limit?: number): Scored[];
}

interface Posting {
  at: number;
  weighted: number;
}

export function createBm25(passages: readonly StudyPassage[], choices: Choices = DEFAULTS): Bm25 {
  const { tokens, asked, title, heading, k1, b } = choices;
  const postings = new Map<string, Posting[]>();
  const lengths: number[] = [];
  for (const [at, passage] of passages.entries()) {
    const fields = [passage.title, passage.heading.join(' '), withoutMarkup(passage.text)].map(tokens);
    lengths.push(fields.reduce((sum, field) => sum + field.length, 0));
    const weighted = new Map<string, number>();
    for (const [column, field] of fields.entries())
      for (const token of field) weighted.set(token, (weighted.get(token) ?? 0) + ([title, heading, 1][column] ?? 1));
    for (const [token, weight] of weighted) {
      const list = postings.get(token) ?? [];
      postings.set(token, list);
      list.push({ at, weighted: weight });
    }
  }
  const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  /** `only` bounds it to passages met before. */
  const add = (scores: Map<number, number>, token: string, only?: ReadonlyMap<number, number>) => {
    const list = postings.get(token) ?? [];
    const idf = idfOf(choices.idf, passages.length, list.length);
    for (const { at, weighted } of list) {
      if (only !== undefined && !only.has(at)) continue;
      const norm = k1 * (1 - b + (b * (lengths[at] ?? 0)) / average);
      scores.set(at, (scores.get(at) ?? 0) + (idf * weighted * (k1 + 1)) / (weighted + norm));
    }
  };
  return {
    search(question, limit = Number.POSITIVE_INFINITY) {
      const scores = new Map<number, number>();
      const all = asked(question);
      const size = choices.asIn || passages.length;
      const bound = (postingsOf(size) * passages.length) / size;
      const kept = new Set(affordable(all, (word) => postings.get(word)?.length ?? 0, bound));
      const rare = all.filter((token) => kept.has(token));
      for (const token of rare) add(scores, token);
      if (choices.scored) for (const token of all) if (!kept.has(token)) add(scores, token, scores);
      const found = [...scores].map(([at, score]) => ({ id: passages[at]?.id ?? 0, score }));
      return found.sort(byScore).slice(0, limit);
    },
  };
}

function idfOf(kind: Choices['idf'], total: number, df: number): number {
  const odds = (total - df + 0.5) / (df + 0.5);
  return kind === 'positive' ? Math.log(1 + odds) : Math.max(1e-6, Math.log(odds));
}
