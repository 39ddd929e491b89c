/** One of the threads that embed passages. It loads the model with its first text and keeps it. */
import { loadOnnx, type OnnxModel, type OnnxOptions } from './onnx-model.ts';

export interface Task {
  model: OnnxOptions;
  text: string;
}

let loaded: Promise<OnnxModel> | undefined;

export async function embed({ model, text }: Task): Promise<Float32Array> {
  loaded ??= loadOnnx(model);
  return (await loaded).embed(text);
}
