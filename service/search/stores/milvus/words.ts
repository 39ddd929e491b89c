/**
 * In how many passages each word stands, for the evidence gate: the engine knows it and does not tell. Counted when a
 * build is published, kept in pages among its facts, read for the words of a question.
 */
import { createHash } from 'node:crypto';
import type { Facts } from './facts.ts';

/** Words of a page: one question reads about ten pages of some kilobytes. */
const PAGE = 300;
/**
 * Words counted at once. Beyond, those met once are forgotten: a word's count is then too low by one for each time
 * that happened, which moves the weight of rare words a little.
 */
const MAX_WORDS = 3_000_000;
const MAX_KNOWN = 200_000;

export interface Counter {
  add(words: Iterable<string>): void;
  save(facts: Facts): Promise<{ word_pages: string }>;
}

export function createCounter(): Counter {
  const counts = new Map<string, number>();
  return {
    add(words) {
      for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
      if (counts.size <= MAX_WORDS) return;
      for (const [word, count] of counts) if (count === 1) counts.delete(word);
    },
    async save(facts) {
      const pages = Math.max(1, Math.ceil(counts.size / PAGE));
      const filled = new Map<string, Record<string, number>>();
      for (const [word, count] of counts) {
        const page = pageOf(word, pages);
        const own = filled.get(page) ?? Object.create(null);
        own[word] = count;
        filled.set(page, own as Record<string, number>);
      }
      await facts.put(new Map([...filled].map(([page, own]) => [page, JSON.stringify(own)])));
      return { word_pages: String(pages) };
    },
  };
}

export interface Frequencies {
  /** In how many passages each of the given words stands. */
  of(words: readonly string[], ms: number): Promise<ReadonlyMap<string, number>>;
}

/** For one build, which never changes. */
export function createFrequencies(facts: Facts, pages: number): Frequencies {
  let known = new Map<string, number>();
  return {
    async of(words, ms) {
      if (known.size > MAX_KNOWN) known = new Map();
      const missing = words.filter((word) => !known.has(word));
      const found = await facts.get([...new Set(missing.map((word) => pageOf(word, pages)))], ms);
      for (const word of missing) known.set(word, countIn(found.get(pageOf(word, pages)), word));
      return new Map(words.map((word) => [word, known.get(word) ?? 0]));
    },
  };
}

function countIn(page: string | undefined, word: string): number {
  const counts = JSON.parse(page ?? '{}') as Record<string, number>;
  return Object.hasOwn(counts, word) ? (counts[word] ?? 0) : 0;
}

function pageOf(word: string, pages: number): string {
  return `words:${createHash('sha1').update(word).digest().readUInt32BE(0) % pages}`;
}
