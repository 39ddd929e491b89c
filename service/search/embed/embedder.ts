/** What turns text into vectors, whoever does it. */

export interface Embedder {
  /** For people: the model's name. */
  readonly name: string;
  /** Changes whenever vectors would: kind, model, hash of its files, prefixes. */
  readonly fingerprint: string;
  readonly dimensions: number;
  /** False when the model knows English only: other scripts are then searched by words alone. */
  readonly multilingual: boolean;
  /** Cuts a text into pieces that fit the model's window: nothing is ever cut off silently. */
  pieces(text: string): string[];
  /** Vectors of length 1, one for each text. Throws `unavailable` or `timeout`. */
  embedPassages(texts: readonly string[]): Promise<Float32Array[]>;
  embedQuery(text: string): Promise<Float32Array>;
}

export function normalized(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const norm = Math.sqrt(sum);
  return norm > 0 ? vector.map((value) => value / norm) : vector;
}

/** Halves a text at spaces until every piece fits. */
export function splitToFit(text: string, fits: (piece: string) => boolean): string[] {
  if (text.length < 2 || fits(text)) return [text];
  const middle = text.length >> 1;
  const before = text.lastIndexOf(' ', middle);
  const line = text.lastIndexOf('\n', middle);
  let at = Math.max(before, line);
  if (at < text.length / 4) at = /[\uD800-\uDBFF]/.test(text[middle - 1] ?? '') ? middle + 1 : middle;
  return [...splitToFit(text.slice(0, at), fits), ...splitToFit(text.slice(at).trimStart(), fits)].filter(
    (piece) => piece.trim() !== '',
  );
}
