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

/** A word in a title or heading says more than one in the body; the exact weights hardly matter. */
const WEIGHTS = { title: 1, heading: 2, body: 1 } as const;

export function createLexical(db: Db): Lexical {
  db.exec('CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab (main, words, row)');
  const rank = `bm25(${WEIGHTS.title}, ${WEIGHTS.heading}, ${WEIGHTS.body})`;
  const ranked = db.prepare(
    'SELECT rowid AS id, -rank AS score FROM words WHERE words MATCH ? AND rank MATCH ? ORDER BY rank LIMIT ?',
  );
  const frequency = db.prepare('SELECT doc FROM temp.vocabulary WHERE term = ?').pluck();
  // Not the rows of the table: some of them may be staged.
  const count = db.prepare("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'passages'").pluck();
  let version = -1;
  let total = 0;
  let known = new Map<string, number>();
  const refresh = () => {
    const now = db.pragma('data_version', { simple: true }) as number;
    if (now === version && known.size < 100_000) return;
    version = now;
    total = (count.get() as number | undefined) ?? 0;
    known = new Map();
  };
  return {
    search(query, limit) {
      const expression = matchExpression(query);
      return expression === undefined ? [] : (ranked.all(expression, rank, limit) as Scored[]);
    },
    idf(token) {
      refresh();
      let idf = known.get(token);
      if (idf === undefined) {
        const df = Math.min((frequency.get(token) as number | undefined) ?? 0, total);
        idf = Math.log(1 + (total - df + 0.5) / (df + 0.5));
        known.set(token, idf);
      }
      return idf;
    },
  };
}
