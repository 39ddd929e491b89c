/** A sentence-transformers model as ONNX (mean pooling, length 1) in one thread of the process: text in, vector out. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tensor } from 'onnxruntime-node';
import { CodedError } from '../../contract.ts';
import { normalized } from './embedder.ts';

export interface OnnxOptions {
  /** Holds `model.onnx` and `tokenizer.json`. */
  folder: string;
  threads: number;
  /** In tokens. */
  window: number;
}

export interface OnnxModel {
  fits(text: string): boolean;
  /** One text at a time: 8-bit models scale by the whole batch, so that a vector would depend on its neighbours. */
  embed(text: string): Promise<Float32Array>;
}

/** Both packages it needs are optional dependencies. */
export async function loadOnnx({ folder, threads, window }: OnnxOptions): Promise<OnnxModel> {
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
    const session = await InferenceSession.create(join(folder, 'model.onnx'), {
      graphOptimizationLevel: 'all',
      logSeverityLevel: 3,
      intraOpNumThreads: threads,
    });
    const output = session.outputNames[0] ?? '';
    return {
      fits: (text) => tokenizer.encode(text).ids.length <= window,
      embed: async (text) => {
        const ids = bounded(tokenizer.encode(text).ids, window);
        return meanOf((await session.run(feedsOf(ids, session.inputNames, Tensor)))[output]);
      },
    };
  } catch (cause) {
    throw new CodedError(
      'bad_config',
      `${folder} holds no embedder that can be read (model.onnx and tokenizer.json).`,
      { cause },
    );
  }
}

/** A question may be longer than the window; its beginning and end stay, and the closing token with them. */
function bounded(ids: number[], window: number): number[] {
  return ids.length <= window
    ? ids
    : [...ids.slice(0, window >> 1), ...ids.slice(ids.length - (window - (window >> 1)))];
}

function feedsOf(ids: readonly number[], names: readonly string[], Of: typeof Tensor): Record<string, Tensor> {
  const tensor = (data: BigInt64Array) => new Of('int64', data, [1, ids.length]);
  const all: Record<string, Tensor> = {
    input_ids: tensor(BigInt64Array.from(ids, BigInt)),
    attention_mask: tensor(new BigInt64Array(ids.length).fill(1n)),
    token_type_ids: tensor(new BigInt64Array(ids.length)),
  };
  return Object.fromEntries(names.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
}

function meanOf(output: Tensor | undefined): Float32Array {
  const [, tokens = 0, dimensions = 0] = output?.dims ?? [];
  if (output === undefined || dimensions === 0) throw new CodedError('internal', 'The embedder returned nothing.');
  const hidden = output.data as Float32Array;
  const sum = new Float32Array(dimensions);
  for (let token = 0; token < tokens; token++) {
    const offset = token * dimensions;
    for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] ?? 0) + (hidden[offset + i] ?? 0);
  }
  return normalized(sum);
}
