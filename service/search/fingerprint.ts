/** What an index was made with. A server or an indexer with other settings would mix what must not be compared. */
import { CodedError } from '../contract.ts';
import { CHUNKER_VERSION } from './chunk.ts';
import type { Embedder } from './embed/embedder.ts';
import { TOKENIZER_VERSION } from './text/tokens.ts';

export interface Facts {
  chunker: string;
  tokenizer: string;
  /** Empty when the index has no vectors. */
  embedder: string;
  embedder_name: string;
  dim: string;
  /** The vector of PROBE: another model under the same name is found by it. */
  probe: string;
}

const PROBE = 'How long does the server wait for a request before it gives up?';
/** The same model on another machine or in another batch rounds differently; another model is far off. */
const SAME_MODEL = 0.99;

export async function factsOf(embedder: Embedder | null): Promise<Facts> {
  const versions = { chunker: String(CHUNKER_VERSION), tokenizer: String(TOKENIZER_VERSION) };
  if (embedder === null) return { ...versions, embedder: '', embedder_name: '', dim: '0', probe: '' };
  const probe = await embedder.embedQuery(PROBE);
  return {
    ...versions,
    embedder: embedder.fingerprint,
    embedder_name: embedder.name,
    dim: String(embedder.dimensions),
    probe: JSON.stringify([...probe].map((value) => Number(value.toFixed(5)))),
  };
}

/** Throws `bad_config` with the command that helps when the index was made with something else. */
export function checkFacts(index: Readonly<Record<string, string>>, own: Facts, db: string): void {
  const rebuild = `Rebuild it: askdocs index PATH --db ${db} --rebuild`;
  for (const part of ['chunker', 'tokenizer'] as const) {
    if (index[part] !== undefined && index[part] !== own[part]) {
      throw new CodedError(
        'bad_config',
        `The index ${db} was made by ${part} version ${index[part]}, this is version ${own[part]}. ${rebuild}`,
      );
    }
  }
  // A half that one side lacks is left out, and said; only two different embedders cannot be compared.
  if (!index.embedder || own.embedder === '') return;
  if (index.embedder !== own.embedder || index.dim !== own.dim) {
    const names = `${index.embedder_name} (${index.dim} dimensions), the settings name ${own.embedder_name} (${own.dim} dimensions)`;
    const other = index.embedder_name === own.embedder_name ? ' with other files or prefixes' : '';
    throw new CodedError(
      'bad_config',
      `The index ${db} was made with the embedder ${names}${other}. ${rebuild}, or set the embedder it was made with.`,
    );
  }
  if (similarity(index.probe ?? '[]', own.probe) < SAME_MODEL) {
    throw new CodedError(
      'bad_config',
      `The embedder ${own.embedder_name} gives other vectors than when the index ${db} was made: it is another model under the same name. ${rebuild}`,
    );
  }
}

function similarity(a: string, b: string): number {
  const [left, right] = [JSON.parse(a) as number[], JSON.parse(b) as number[]];
  return left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
}
