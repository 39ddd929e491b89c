/** The local embedder's model as onnxruntime's examples run it: one session on all cores, like lengths in batches, padded. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { normalized } from '../../service/search/embed/embedder.ts';

const BATCH = 8;

/** Embeds texts that fit the model's window, in any order. */
export async function plainOnnx(folder: string): Promise<(texts: readonly string[]) => Promise<Float32Array[]>> {
  const tokenizer = new Tokenizer(JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')), {});
  const session = await InferenceSession.create(join(folder, 'model.onnx'), { logSeverityLevel: 3 });
  return async (texts) => {
    const all = texts.map((text) => tokenizer.encode(text).ids).sort((a, b) => a.length - b.length);
    const vectors: Float32Array[] = [];
    for (let from = 0; from < all.length; from += BATCH)
      vectors.push(...(await run(session, all.slice(from, from + BATCH))));
    return vectors;
  };
}

async function run(session: InferenceSession, batch: number[][]): Promise<Float32Array[]> {
  const length = Math.max(...batch.map((ids) => ids.length));
  const filled = (value: (ids: number[], at: number) => number) =>
    new Tensor(
      'int64',
      BigInt64Array.from(
        batch.flatMap((ids) => Array.from({ length }, (_, at) => BigInt(at < ids.length ? value(ids, at) : 0))),
      ),
      [batch.length, length],
    );
  const inputs: Record<string, Tensor> = {
    input_ids: filled((ids, at) => ids[at] ?? 0),
    attention_mask: filled(() => 1),
    token_type_ids: filled(() => 0),
  };
  const feeds = Object.fromEntries(session.inputNames.map((name) => [name, inputs[name] as Tensor]));
  const output = (await session.run(feeds))[session.outputNames[0] ?? ''] as Tensor;
  const hidden = output.data as Float32Array;
  const dimensions = output.dims[2] ?? 0;
  return batch.map((ids, row) => {
    const mean = new Float32Array(dimensions);
    const first = row * length * dimensions;
    for (let at = 0; at < ids.length * dimensions; at++)
      mean[at % dimensions] = (mean[at % dimensions] ?? 0) + (hidden[first + at] ?? 0);
    return normalized(mean);
  });
}
