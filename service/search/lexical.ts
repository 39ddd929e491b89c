/** The lexical half: BM25 over the full-text table, and how rare a token is. */
import { type Db, watchMeta } from './db.ts';
import { matchExpression, type Query } from './text/query.ts';

export interface Scored {
  id: number;
  score: number;
}

/** Best first; what scores the same keeps one order. */
export function byScore(a: Scored, b: Scored): number {
  return b.score - a.score || a.id - b.id;
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
 * Passages scored for one question, counted by word: in a large index words that stand in every tenth passage take nearly
 * all the time. The rarest words that fit find the candidates then, and all words score them: at least this many, and
 * this share of the index up to the most.
 */
const POSTINGS = { least: 4000, share: 0.15, most: 30_000 };
/** Frequencies kept; a term costs about a hundred bytes. */
const MAX_KNOWN = 200_000;

/** `bound` tells for an index of so many passages how many of them one question may cost. */
export function createLexical(
  db: Db,
  bound: (passages: number) => number = postingsOf,
  meta: ReturnType<typeof watchMeta> = watchMeta(db),
): Lexical {
  const frequencies = createFrequencies(db, meta);
  const rank = `bm25(${WEIGHTS.title}, ${WEIGHTS.heading}, ${WEIGHTS.body})`;
  const ranked = db.prepare(
    'SELECT rowid AS id, -rank AS score FROM words WHERE words MATCH ? AND rank MATCH ? ORDER BY rank LIMIT ?',
  );
  // A candidate with one of the other words has the greater score of the two: that of all words.
  const matches = 'SELECT rowid AS id, -rank AS score FROM words WHERE words MATCH ? AND rank MATCH ?';
  const rankedByAll = db.prepare(
    `SELECT id, max(score) AS score FROM (${matches} UNION ALL ${matches}) GROUP BY id ORDER BY 2 DESC, 1 LIMIT ?`,
  );
  return {
    search(query, limit) {
      const tokens = query.words.flatMap((word) => word.tokens);
      const rare = affordable(tokens, frequencies.of, bound(frequencies.total()));
      const finding = matchExpression(rare);
      if (finding === undefined) return [];
      const kept = new Set(rare);
      const others = matchExpression(tokens.filter((token) => !kept.has(token)));
      if (others === undefined) return ranked.all(finding, rank, limit) as Scored[];
      return rankedByAll.all(finding, rank, `(${finding}) AND (${others})`, rank, limit) as Scored[];
    },
    idf(token) {
      const [total, df] = [frequencies.total(), frequencies.of(token)];
      return Math.log(1 + (total - df + 0.5) / (df + 0.5));
    },
  };
}

/** Passages that the words of one question may stand in together, for an index of so many. */
export function postingsOf(passages: number): number {
  return Math.min(Math.max(passages * POSTINGS.share, POSTINGS.least), POSTINGS.most);
}

/**
 * The tokens that find the candidates, in their order: all of them, or the rarest where together they stand in more than
 * twice the bound. Up to there one pass over everything costs no more than finding and scoring.
 */
export function affordable(
  tokens: readonly string[],
  frequency: (token: string) => number,
  bound: number,
): readonly string[] {
  const rare = [...new Set(tokens)].sort((a, b) => frequency(a) - frequency(b));
  if (rare.reduce((sum, token) => sum + frequency(token), 0) <= 2 * bound) return tokens;
  const kept = new Set<string>();
  let sum = 0;
  for (const token of rare) {
    sum += frequency(token);
    if (sum > bound && [...kept].some((other) => frequency(other) > 0)) break;
    kept.add(token);
  }
  return tokens.filter((token) => kept.has(token));
}

/** In how many passages a token stands, remembered until the index changes. */
function createFrequencies(db: Db, meta: ReturnType<typeof watchMeta>) {
  db.exec('CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab (main, words, row)');
  const frequency = db.prepare('SELECT doc FROM temp.vocabulary WHERE term = ?').pluck();
  let seen: ReturnType<typeof meta> | undefined;
  let total = 0;
  let known = new Map<string, number>();
  const refresh = () => {
    const now = meta();
    if (now === seen && known.size < MAX_KNOWN) return;
    seen = now;
    // Not the rows of the table: some of them may be staged.
    total = Number(now.passages ?? 0);
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
