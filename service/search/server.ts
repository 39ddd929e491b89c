/**
 * The retrieval server: MCP on stdio, its own process. `node --import tsx service/search/server.ts --db PATH`, or with
 * CRAG_DB in the environment. Standard output carries the protocol only; what goes wrong is said on standard error.
 */
import { parseArgs } from 'node:util';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CodedError } from '../contract.ts';
import { embedSettings, openEmbedder } from './embed/open.ts';
import { openStore, type Store } from './store.ts';
import { withToken } from './stores/milvus/address.ts';
import { searchTracing } from './telemetry.ts';
import { createServer } from './tools.ts';

const VERSION = '1.0.0';

try {
  const settings = readSettings();
  const embedding = await openEmbedder(embedSettings(process.env));
  const store = await openStore(settings.db, { ...embedding, minCosine: settings.minCosine });
  const tracing = searchTracing(process.env);
  const server = createServer(store, VERSION, tracing);
  // The SDK's transport ignores the end of stdin: without this the process would outlive a killed parent.
  const exit = () => void tracing.close().finally(() => process.exit(0));
  process.stdin.once('end', exit);
  process.stdin.once('close', exit);
  await server.connect(new StdioServerTransport());
  void saySilentEngine(store);
} catch (error) {
  console.error(error instanceof CodedError ? `askdocs search: ${error.message}` : error);
  process.exit(1);
}

/** An engine that is down does not end the server: each call says so until it is back. */
async function saySilentEngine(store: Store): Promise<void> {
  await store.stats().catch((error: unknown) => {
    console.error(
      error instanceof CodedError ? `askdocs search: ${error.message} Trying again with each call.` : error,
    );
  });
}

function readSettings(): { db: string; minCosine: number | undefined } {
  const { values } = parseArgs({ options: { db: { type: 'string' } }, strict: false });
  const name = typeof values.db === 'string' ? values.db : process.env.CRAG_DB;
  if (name === undefined || name === '')
    throw new CodedError('bad_config', 'Name the index with --db PATH or in CRAG_DB.');
  const db = withToken(name, process.env.ASKDOCS_SEARCH_TOKEN);
  const given = process.env.CRAG_MIN_COSINE;
  if (given === undefined || given === '') return { db, minCosine: undefined };
  const minCosine = Number(given);
  if (!(minCosine >= -1 && minCosine <= 1))
    throw new CodedError(
      'bad_config',
      `CRAG_MIN_COSINE is ${JSON.stringify(given)}; it must be a number from -1 to 1.`,
    );
  return { db, minCosine };
}
