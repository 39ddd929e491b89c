/**
 * Late interaction: the best passages of the hybrid ranking are ordered anew by how well each token of the question finds a
 * token of the passage (MaxSim over the token vectors of the same model), added to the score they have.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CodedError } from '../../service/contract.ts';
import type { Embedder } from '../../service/search/embed/embedder.ts';
import { DEFAULT_MODEL } from '../../service/search/embed/open.ts';
import type { Fused } from '../../service/search/fusion.ts';
import { byScore } from '../../service/search/lexical.ts';
import { piecesOf } from '../../service/search/pieces.ts';
import { createProgress } from '../progress.ts';
import { byBoth } from './fusion.ts';
import { halvesOf } from './halves.ts';
import type { StudyPassage, StudySet } from './sets.ts';
import { sourcesOf, type Variant } from './table.ts';

const DEPTHS = [20, 50];
const WEIGHTS = [0.3, 0.5, 0.7];

/** Rows of numbers of length 1, one for each token. */
type Tokens = Float32Array[];

export async function studyLate(sets: readonly StudySet[], model: Embedder | null, models: string): Promise<Variant[]> {
  if (model === null) throw new CodedError('bad_input', 'Late interaction needs the local embedder.');
  const encode = await tokenVectors(join(models, DEFAULT_MODEL));
  const fused: Fused[][][] = [];
  const late: Map<number, number>[][] = [];
  const took = { embedding: 0, comparing: 0, passages: 0, questions: 0, tokens: 0 };
  for (const set of sets) {
    const halves = await halvesOf(set, model);
    const found = halves.map((one) => byBoth(one).slice(0, 100));
    fused.push(found);
    late.push(await lateScores(set, { found, model, encode, took }));
  }
  const per = (ms: number, count: number) => (ms / Math.max(1, count)).toFixed(2);
  console.error(
    `${took.passages} passages, ${Math.round(took.tokens / took.passages)} tokens each: ${per(took.embedding, took.passages)} ms a passage to embed, ${per(took.comparing, took.questions)} ms a question to compare with ${DEPTHS.at(-1)} passages.`,
  );
  const variant = (name: string, depth: number, weight: number): Variant => ({
    name,
    ranked: sets.map((set, at) =>
      (fused[at] ?? []).map((found, question) =>
        sourcesOf(set)(rerank(found, late[at]?.[question] ?? new Map(), depth, weight)),
      ),
    ),
  });
  return [
    variant('as it is', 0, 0),
    ...DEPTHS.flatMap((depth) => WEIGHTS.map((weight) => variant(`best ${depth}, ${weight} late`, depth, weight))),
  ];
}

interface Late {
  found: Fused[][];
  model: Embedder;
  encode: (texts: string[]) => Promise<Tokens[]>;
  took: { embedding: number; comparing: number; passages: number; questions: number; tokens: number };
}

/** MaxSim of each question with its best passages. */
async function lateScores(set: StudySet, { found, model, encode, took }: Late): Promise<Map<number, number>[]> {
  const passages = new Map(set.passages.map((passage) => [passage.id, passage]));
  const known = new Map<number, Tokens[]>();
  const progress = createProgress();
  const scores: Map<number, number>[] = [];
  for (const [at, { text }] of set.questions.entries()) {
    const best = (found[at] ?? []).slice(0, DEPTHS.at(-1)).map(({ id }) => id);
    const embedding = performance.now();
    for (const id of best.filter((one) => !known.has(one))) {
      const vectors = await encode(textsOf(model, passages.get(id)));
      known.set(id, vectors);
      took.passages += 1;
      took.tokens += vectors.reduce((sum, piece) => sum + piece.length, 0);
    }
    const [question = []] = await encode([text]);
    const comparing = performance.now();
    took.embedding += comparing - embedding;
    scores.push(
      new Map(best.map((id) => [id, Math.max(...(known.get(id) ?? []).map((piece) => maxSim(question, piece)))])),
    );
    took.comparing += performance.now() - comparing;
    took.questions += 1;
    progress.update(at, set.questions.length, 'questions');
  }
  progress.end();
  return scores;
}

function textsOf(model: Embedder, passage: StudyPassage | undefined): string[] {
  return passage === undefined ? [] : piecesOf(model, passage).map(({ text }) => text);
}

/** Mean over the question's tokens of the best cosine with any token of the passage. */
function maxSim(question: Tokens, passage: Tokens): number {
  let sum = 0;
  for (const one of question) {
    let best = -1;
    for (const other of passage) {
      let dot = 0;
      for (let i = 0; i < one.length; i++) dot += (one[i] ?? 0) * (other[i] ?? 0);
      if (dot > best) best = dot;
    }
    sum += best;
  }
  return sum / Math.max(1, question.length);
}

/** The scores of the best are stretched to 0..1 and added by weight; the rest follows as it was. */
function rerank(found: Fused[], late: Map<number, number>, depth: number, weight: number): { id: number }[] {
  const best = found.slice(0, depth);
  const values = best.map(({ id }) => late.get(id) ?? 0);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const [least, most] = [best.at(-1)?.fusion ?? 0, best[0]?.fusion ?? 0];
  const share = (value: number, from: number, to: number) => (to > from ? (value - from) / (to - from) : 1);
  const anew = best.map(({ id, fusion }, at) => ({
    id,
    score: (1 - weight) * share(fusion, least, most) + weight * share(values[at] ?? 0, low, high),
  }));
  return [...anew.sort(byScore), ...found.slice(depth)];
}

/** The model's own output before it is made one vector. */
async function tokenVectors(folder: string): Promise<(texts: string[]) => Promise<Tokens[]>> {
  const { InferenceSession, Tensor } = await import('onnxruntime-node');
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const tokenizer = new Tokenizer(JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')), {});
  const session = await InferenceSession.create(join(folder, 'model.onnx'), { logSeverityLevel: 3 });
  const one = async (text: string): Promise<Tokens> => {
    const ids = tokenizer.encode(text).ids.slice(0, 256);
    const tensor = (value: (id: number) => bigint) =>
      new Tensor('int64', BigInt64Array.from(ids, value), [1, ids.length]);
    const output = await session.run({
      input_ids: tensor((id) => BigInt(id)),
      attention_mask: tensor(() => 1n),
      ...(session.inputNames.includes('token_type_ids') ? { token_type_ids: tensor(() => 0n) } : {}),
    });
    const hidden = output[session.outputNames[0] ?? ''];
    const [data, dimensions] = [hidden?.data as Float32Array, hidden?.dims[2] ?? 0];
    // Without the marks of beginning and end.
    return ids
      .slice(1, -1)
      .map((_: number, at: number) => unit(data.slice((at + 1) * dimensions, (at + 2) * dimensions)));
  };
  return async (texts) => {
    const all: Tokens[] = [];
    for (const text of texts) all.push(await one(text));
    return all;
  };
}

function unit(vector: Float32Array): Float32Array {
  const norm = Math.hypot(...vector);
  return norm > 0 ? vector.map((value) => value / norm) : vector;
}
