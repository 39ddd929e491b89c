/** Temporary folders of documents, a deterministic embedder, and the real search server on stdio. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type Embedder, normalized, splitToFit } from '../embed/embedder.ts';

export interface Folder {
  root: string;
  docs: string;
  db: string;
  write(files: Record<string, string>): void;
  remove(): void;
}

export function tempFolder(files: Record<string, string> = {}): Folder {
  const root = mkdtempSync(join(tmpdir(), 'askdocs-search-'));
  const docs = join(root, 'docs');
  mkdirSync(docs);
  const write = (more: Record<string, string>) => {
    for (const [name, text] of Object.entries(more)) {
      mkdirSync(dirname(join(docs, name)), { recursive: true });
      writeFileSync(join(docs, name), text);
    }
  };
  write(files);
  return { root, docs, db: join(root, 'index', 'docs.db'), write, remove: () => rmSync(root, { recursive: true }) };
}

export const DOCS = {
  'server.md':
    '# Server\n\n## bodyLimit\n\nThe maximum payload, in bytes, that the server accepts. Default: 1048576.\n\n## keepAliveTimeout\n\nHow long an idle connection is kept open, in milliseconds.\n',
  'logging.md': '# Logging\n\nThe logger writes JSON lines. Use `redact` to hide secrets such as passwords.\n',
  'pool.md': '# Pool\n\nA pool of connections to one origin. `connections` bounds how many there are.\n',
};

export interface FakeEmbedder extends Embedder {
  /** Texts embedded so far. */
  embedded: string[];
}

/** Bags of words hashed into 64 dimensions: the same words are near each other. */
export function fakeEmbedder(
  options: { seed?: number; name?: string; fingerprint?: string; fail?: () => void } = {},
): FakeEmbedder {
  const { seed = 1, name = 'fake', fingerprint = `fake:${seed}` } = options;
  const embedded: string[] = [];
  const embed = (text: string) => {
    const vector = new Float32Array(64);
    for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
      let hash = seed;
      for (const char of word) hash = Math.imul(hash ^ char.charCodeAt(0), 16_777_619) >>> 0;
      vector[hash % 64] = (vector[hash % 64] ?? 0) + 1;
    }
    return normalized(vector);
  };
  return {
    name,
    fingerprint,
    dimensions: 64,
    multilingual: false,
    embedded,
    pieces: (text) => splitToFit(text, (piece) => piece.length <= 2000),
    embedPassages: async (texts) => {
      options.fail?.();
      embedded.push(...texts);
      return texts.map(embed);
    },
    embedQuery: async (text) => embed(text),
  };
}

export const SERVER = fileURLToPath(new URL('../server.ts', import.meta.url));

export interface Server {
  client: Client;
  pid: number;
  /** What it wrote on stderr. */
  said(): string;
  close(): Promise<void>;
}

/** The search server as its own process, spoken to with the client of the SDK. */
export async function startServer(
  db: string,
  env: Record<string, string> = { ASKDOCS_EMBED_MODEL: 'none' },
): Promise<Server> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--import', import.meta.resolve('tsx'), SERVER, '--db', db],
    env,
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport).catch((cause: unknown) => {
    throw new Error(`the server did not start: ${said}`, { cause });
  });
  return { client, pid: transport.pid ?? 0, said: () => said, close: () => client.close() };
}
