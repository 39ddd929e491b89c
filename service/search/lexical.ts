/** The lexical half: BM25 over the full-text table, and how rare a token is. */
import type { Db } from './db.ts';
import { matchExpression, type Query } from './text/query.ts';

export interface Scored {
  id: number;
  score: number;
}

export interface Lexical {
  /** Best first; the score is BM25, higher is better. */
  search(query: Query, limit: number): Scored[];
  /** Inverse document frequency of a token; the largest for one that no passage has. */
  idf(token: string): number;
}

/** A word in a heading says more than one in the body; the exact weights hardly matter. */
const WEIGHTS = { title: 1, heading: 2, body: 1 } as const;
/**
 * Passages scored for one question, counted by word. In a large index words that stand in every tenth passage would take
 * nearly all the time and move the ranking least: the rarest words that fit are searched for, one at least.
 */
const MAX_POSTINGS = 12_000;
/** Frequencies kept; a term costs about a hundred bytes. */
const MAX_KNOWN = 200_000;

export function createLexical(db: Db): Lexical {
  const frequencies = createFrequencies(db);
  const rank = `bm25(${WEIGHTS.title}, ${WEIGHTS.heading}, ${WEIGHTS.body})`;
  const ranked = db.prepare(
    'SELECT rowid AS id, -rank AS score FROM words WHERE words MATCH ? AND rank MATCH ? ORDER BY rank LIMIT ?',
  );
  return {
    search(query, limit) {
      const tokens = query.words.flatMap((word) => word.tokens);
      const expression = matchExpression(affordable(tokens, frequencies.of));
      return expression === undefined ? [] : (ranked.all(expression, rank, limit) as Scored[]);
    },
    idf(token) {
      const [total, df] = [frequencies.total(), frequencies.of(token)];
      return Math.log(1 + (total - df + 0.5) / (df + 0.5));
    },
  };
}

/** The tokens in their order, without the most frequent ones where all of them together are too many to score. */
export function affordable(tokens: readonly string[], frequency: (token: string) => number): string[] {
  const rare = [...new Set(tokens)].sort((a, b) => frequency(a) - frequency(b));
  const kept = new Set<string>();
  let sum = 0;
  for (const token of rare) {
    sum += frequency(token);
    if (sum > MAX_POSTINGS && kept.size > 0 && [...kept].some((other) => frequency(other) > 0)) break;
    kept.add(token);
  }
  return tokens.filter((token) => kept.has(token));
}

/** In how many passages a token stands, remembered until the index changes. */
function createFrequencies(db: Db) {
  db.exec('CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab (main, words, row)');
  const frequency = db.prepare('SELECT doc FROM temp.vocabulary WHERE term = ?').pluck();
  // Not the rows of the table: some of them may be staged.
  const count = db.prepare("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'passages'").pluck();
  let version = -1;
  let total = 0;
  let known = new Map<string, number>();
  const refresh = () => {
    const now = db.pragma('data_version', { simple: true }) as number;
    if (now === version && known.size < MAX_KNOWN) return;
    version = now;
    total = (count.get() as number | undefined) ?? 0;
    known = new Map();
  };
  return {
    total: () => {
      refresh();
      return total;
    },
    of: (token: string): number => {
      refresh();
      const found = known.get(token);
      if (found !== undefined) return found;
      const df = Math.min((frequency.get(token) as number | undefined) ?? 0, total);
      known.set(token, df);
      return df;
    },
  };
}
