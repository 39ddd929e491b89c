/** Texts, questions and vectors of large indexes, made from a seed. */
import seedrandom from 'seedrandom';
import { type Embedder, normalized } from '../../service/search/embed/embedder.ts';
import type { TextRecord } from '../../service/search/ingest/index.ts';

/** Words with the frequencies of natural language (Zipf), 110 to a passage. */
export function* seededRecords(count: number): Generator<TextRecord> {
  const word = zipfWords('texts');
  for (let at = 0; at < count; at++) {
    yield { id: `doc-${at}`, title: `${word()} ${word()}`, text: Array.from({ length: 110 }, word).join(' ') };
  }
}

export function seededQuestions(count: number): string[] {
  const word = zipfWords('questions');
  return Array.from({ length: count }, () => `How do I ${Array.from({ length: 6 }, word).join(' ')}?`);
}

const VOCABULARY = 30_000;

function zipfWords(seed: string): () => string {
  const random = seedrandom(seed);
  const syllables = ['ba', 'ke', 'li', 'mo', 'nu', 'ra', 'se', 'ti', 'vo', 'zu', 'pra', 'sto', 'gri'];
  const name = (rank: number): string => (rank < 13 ? '' : name(Math.floor(rank / 13))) + syllables[rank % 13];
  // Rank by the inverse of the distribution 1/rank.
  return () => name(Math.floor(VOCABULARY ** random()) + 12);
}

export interface Seeded extends Embedder {
  /** Every vector that was given to a passage, by the end of the text it was given for. */
  readonly given: ReadonlyMap<string, Float32Array>;
}

/** The embedder with seeded vectors for passages; questions it embeds itself. */
export function withSeededVectors(embedder: Embedder): Seeded {
  const next = seededVectors(embedder.dimensions, 'passages');
  const given = new Map<string, Float32Array>();
  const embed = (text: string) => {
    const vector = next();
    given.set(endOf(text), vector);
    return vector;
  };
  return { ...embedder, given, pieces: (text) => [text], embedPassages: async (texts) => texts.map(embed) };
}

/** A passage's text is the end of what was embedded of it, and no two of these texts end alike. */
export function endOf(text: string): string {
  return text.trimEnd().slice(-120);
}

/** Vectors around 500 centres, as those of real passages lie around topics. */
export function seededVectors(dimensions: number, seed: string): () => Float32Array {
  const draw = (random: () => number) =>
    Float32Array.from({ length: dimensions }, () => random() + random() + random() - 1.5);
  const fixed = seedrandom('centres');
  const centres = Array.from({ length: 500 }, () => draw(fixed));
  const random = seedrandom(seed);
  return () => {
    const centre = centres[Math.floor(random() * centres.length)] ?? new Float32Array(dimensions);
    return normalized(draw(random).map((value, at) => value + (centre[at] ?? 0)));
  };
}
