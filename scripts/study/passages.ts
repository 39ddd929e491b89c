/** How long passages should be, and whether they should overlap: documents are cut, and embedded, anew for each choice. */
import { readFileSync } from 'node:fs';
import { chunk, SIZES, type Sizes } from '../../service/search/chunk.ts';
import type { Embedder } from '../../service/search/embed/embedder.ts';
import type { Document } from '../../service/search/ingest/document.ts';
import { readPlain } from '../../service/search/ingest/readers/plain.ts';
import { formatOf } from '../../service/search/ingest/readers.ts';
import { walk } from '../../service/search/ingest/walk.ts';
import { piecesOf } from '../../service/search/pieces.ts';
import { createProgress } from '../progress.ts';
import { createBm25 } from './bm25.ts';
import { byBoth } from './fusion.ts';
import { type Halves, halvesOf, type Vectors } from './halves.ts';
import { beirRecords, type StudyPassage, type StudySet } from './sets.ts';
import { sourcesOf, type Variant } from './table.ts';

/** Characters of a passage, and by how many it reaches back into the one before. */
const CHOICES: [size: number, overlap: number][] = [
  [SIZES.target, 0],
  [SIZES.target, 200],
  [400, 0],
  [600, 0],
  [1500, 0],
  [2500, 0],
];
/** Vectors asked for at once. */
const GROUP = 64;

export async function studyPassages(
  sets: readonly StudySet[],
  model: Embedder | null,
  corpus: string,
): Promise<Variant[]> {
  const [alone, meaning, joined]: [Variant[], Variant[], Variant[]] = [[], [], []];
  const embed = model === null ? undefined : remembered(model);
  for (const [size, overlap] of CHOICES) {
    const name = `${size} characters${overlap > 0 ? `, ${overlap} of overlap` : ''}`;
    const found: { set: StudySet; halves: Halves[] }[] = [];
    for (const set of sets) {
      const cut = { ...set, passages: await cutAnew(set, corpus, size, overlap) };
      const vectors: Vectors = model === null ? new Map() : await vectorsOf(cut.passages, model, embed);
      found.push({ set: cut, halves: await halvesOf(cut, model, createBm25(cut.passages), vectors) });
    }
    const ranked = (rank: (halves: Halves) => { id: number }[]) =>
      found.map(({ set, halves }) => halves.map((one) => sourcesOf(set)(rank(one))));
    alone.push({ name: `words, ${name}`, ranked: ranked(({ words }) => words.slice(0, 400)) });
    meaning.push({ name: `meaning, ${name}`, ranked: ranked(({ near }) => near.slice(0, 400)) });
    joined.push({ name: `both, ${name}`, ranked: ranked((halves) => byBoth(halves)) });
  }
  return model === null ? alone : [...joined, ...alone, ...meaning];
}

async function cutAnew(set: StudySet, corpus: string, size: number, overlap: number): Promise<StudyPassage[]> {
  const sizes: Sizes = { target: size, whole: Math.round(size * 1.6), small: Math.min(SIZES.small, size / 5) };
  const passages: StudyPassage[] = [];
  for await (const { source, title, document } of documentsOf(set, corpus)) {
    for (const { heading, start, end, text } of chunk(document, sizes)) {
      const back = overlap === 0 ? '' : before(document.text, start, overlap);
      passages.push({
        id: passages.length + 1,
        source,
        title,
        heading,
        text: back + (text || document.text.slice(start, end)),
      });
    }
  }
  return passages;
}

interface Read {
  source: string;
  title: string;
  document: Document;
}

async function* documentsOf({ folder, passages }: StudySet, corpus: string): AsyncGenerator<Read> {
  if (folder !== undefined) {
    for await (const { id, title, text } of beirRecords(folder)) yield { source: id, title, document: readPlain(text) };
    return;
  }
  const indexed = new Set(passages.map(({ source }) => source));
  for (const { path, source } of (await walk([corpus], {})).files) {
    const format = formatOf(path);
    if (format === undefined || !indexed.has(source)) continue;
    const document = await (await format.load())(readFileSync(path), source);
    yield { source, title: document.title || source, document };
  }
}

/** The end of what stands before, from a space on. */
function before(text: string, start: number, length: number): string {
  const piece = text.slice(Math.max(0, start - length), start);
  return piece.slice(piece.search(/\s/) + 1);
}

type Embed = (texts: string[]) => Promise<Float32Array[]>;

/** What was embedded for one size comes again for another. */
function remembered(model: Embedder): Embed {
  const known = new Map<string, Float32Array>();
  return async (texts) => {
    const fresh = [...new Set(texts)].filter((text) => !known.has(text));
    const vectors = await model.embedPassages(fresh);
    for (const [at, text] of fresh.entries()) known.set(text, vectors[at] ?? new Float32Array());
    return texts.map((text) => known.get(text) ?? new Float32Array());
  };
}

async function vectorsOf(passages: readonly StudyPassage[], model: Embedder, embed: Embed = remembered(model)) {
  const progress = createProgress();
  const vectors: Vectors = new Map();
  for (let from = 0; from < passages.length; from += GROUP) {
    const wanted = passages
      .slice(from, from + GROUP)
      .flatMap((passage) => piecesOf(model, passage).map(({ text }) => ({ id: passage.id, text })));
    const found = await embed(wanted.map(({ text }) => text));
    for (const [at, { id }] of wanted.entries())
      vectors.set(id, [...(vectors.get(id) ?? []), found[at] ?? new Float32Array()]);
    progress.update(from, passages.length, 'passages embedded');
  }
  progress.end();
  return vectors;
}
