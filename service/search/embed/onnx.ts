/**
 * The local embedder: a sentence-transformers model as ONNX (mean pooling, length 1), run by onnxruntime on all cores.
 * A folder holds `model.onnx` and `tokenizer.json`. Both packages it needs are optional dependencies.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { CodedError } from '../../contract.ts';
import { type Embedder, normalized, splitToFit } from './embedder.ts';
import { traitsOf } from './models.ts';

interface Model {
  /** For questions: threads that wait for more work by spinning would cost eight times the processor time of the answer. */
  single: InferenceSession;
  /** For passages, on all cores; opened with the first of them, which a search server never embeds. */
  parallel(): Promise<InferenceSession>;
  Tensor: typeof Tensor;
  encode(text: string): number[];
  window: number;
}

/** Sentences of like length go together: padding is computed as dearly as words. */
const BATCH = 8;

export async function openOnnx(folder: string): Promise<Embedder> {
  const model = await load(folder);
  const traits = traitsOf(basename(folder));
  const [probe] = await run(model, model.single, [model.encode('x')]);
  return {
    name: basename(folder),
    fingerprint: `onnx:${hashOf(folder)}`,
    dimensions: probe?.length ?? 0,
    multilingual: traits.multilingual,
    pieces: (text) => splitToFit(text, (piece) => model.encode(traits.passage + piece).length <= model.window),
    embedPassages: (texts) =>
      embedAll(
        model,
        texts.map((text) => traits.passage + text),
      ),
    embedQuery: async (text) => {
      const [vector] = await run(model, model.single, [bounded(model, model.encode(traits.query + text))]);
      if (vector === undefined) throw new CodedError('internal', 'The embedder returned nothing.');
      return vector;
    },
  };
}

async function load(folder: string): Promise<Model> {
  const [{ InferenceSession, Tensor }, { Tokenizer }] = await Promise.all([
    import('onnxruntime-node'),
    import('@huggingface/tokenizers'),
  ]).catch((cause: unknown) => {
    throw new CodedError(
      'unavailable',
      'The packages onnxruntime-node and @huggingface/tokenizers are not installed here.',
      { cause },
    );
  });
  try {
    const tokenizer = new Tokenizer(JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')), {});
    const open = (options: InferenceSession.SessionOptions) =>
      InferenceSession.create(join(folder, 'model.onnx'), {
        graphOptimizationLevel: 'all',
        logSeverityLevel: 3,
        ...options,
      });
    const single = await open({ intraOpNumThreads: 1 });
    let parallel: Promise<InferenceSession> | undefined;
    return {
      single,
      parallel: () => {
        parallel ??= open({});
        return parallel;
      },
      Tensor,
      encode: (text) => tokenizer.encode(text).ids,
      window: traitsOf(basename(folder)).window,
    };
  } catch (cause) {
    throw new CodedError(
      'bad_config',
      `${folder} holds no embedder that can be read (model.onnx and tokenizer.json).`,
      { cause },
    );
  }
}

async function embedAll(model: Model, texts: readonly string[]): Promise<Float32Array[]> {
  const order = texts
    .map((text, at) => ({ at, ids: bounded(model, model.encode(text)) }))
    .sort((a, b) => a.ids.length - b.ids.length);
  const vectors = new Array<Float32Array>(texts.length);
  const session = await model.parallel();
  for (let from = 0; from < order.length; from += BATCH) {
    const batch = order.slice(from, from + BATCH);
    const found = await run(
      model,
      session,
      batch.map(({ ids }) => ids),
    );
    batch.forEach(({ at }, i) => {
      vectors[at] = found[i] ?? new Float32Array();
    });
  }
  return vectors;
}

/** A question may be longer than the window; its beginning and end stay, and the closing token with them. */
function bounded({ window }: Model, ids: number[]): number[] {
  return ids.length <= window
    ? ids
    : [...ids.slice(0, window >> 1), ...ids.slice(ids.length - (window - (window >> 1)))];
}

async function run({ Tensor }: Model, session: InferenceSession, batch: number[][]): Promise<Float32Array[]> {
  const length = Math.max(...batch.map((ids) => ids.length));
  const size = batch.length * length;
  const ids = new BigInt64Array(size);
  const mask = new BigInt64Array(size);
  batch.forEach((row, at) => {
    row.forEach((id, i) => {
      ids[at * length + i] = BigInt(id);
      mask[at * length + i] = 1n;
    });
  });
  const tensor = (data: BigInt64Array) => new Tensor('int64', data, [batch.length, length]);
  const all: Record<string, Tensor> = {
    input_ids: tensor(ids),
    attention_mask: tensor(mask),
    token_type_ids: tensor(new BigInt64Array(size)),
  };
  const feeds = Object.fromEntries(
    session.inputNames.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])),
  );
  const output = (await session.run(feeds))[session.outputNames[0] ?? ''];
  if (output === undefined) throw new CodedError('internal', 'The embedder returned nothing.');
  const hidden = output.data as Float32Array;
  const dimensions = output.dims[2] ?? 0;
  return batch.map((row, at) => meanOf(hidden, at * length, row.length, dimensions));
}

function meanOf(hidden: Float32Array, first: number, count: number, dimensions: number): Float32Array {
  const sum = new Float32Array(dimensions);
  for (let token = first; token < first + count; token++) {
    const offset = token * dimensions;
    for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] ?? 0) + (hidden[offset + i] ?? 0);
  }
  return normalized(sum);
}

function hashOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of ['model.onnx', 'tokenizer.json']) hash.update(readFileSync(join(folder, name)));
  return hash.digest('hex');
}
