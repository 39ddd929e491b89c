/** How many of the exactly nearest passages a search by meaning finds. */
import { openStore } from '../../service/search/store.ts';
import { endOf, type Seeded, seededVectors } from './seeded.ts';

/** Share of the ten nearest by exact cosine that the search finds, for vectors like those in the index. */
export async function benchRecall(db: string, embedder: Seeded, count: number): Promise<number> {
  const next = seededVectors(embedder.dimensions, 'questions');
  let wanted: Float32Array | undefined;
  // Opening the index embeds a sentence to compare embedders by: that one as it is.
  const embedQuery = async (text: string) => wanted ?? embedder.embedQuery(text);
  const store = await openStore(db, { embedder: { ...embedder, embedQuery } });
  try {
    let found = 0;
    for (let at = 0; at < count; at++) {
      const vector = next();
      wanted = vector;
      // Each question another text: what was embedded for a question may be kept.
      const { passages } = await store.search({ query: `question number ${at}`, k: 10, mode: 'dense', gate: false });
      const best = nearest(embedder.given, vector, 10);
      found += passages.filter(({ text }) => best.has(endOf(text))).length;
    }
    return found / (count * 10);
  } finally {
    store.close();
  }
}

function nearest(all: ReadonlyMap<string, Float32Array>, query: Float32Array, count: number): Set<string> {
  const scored = [...all].map(([text, vector]) => ({
    text,
    score: vector.reduce((sum, value, i) => sum + value * (query[i] ?? 0), 0),
  }));
  const best = scored.sort((a, b) => b.score - a.score).slice(0, count);
  return new Set(best.map(({ text }) => text));
}
