/** The tools and the resource of the retrieval contract, over a store. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { CodedError, MAX_K, type Passage, type SearchResult, searchResultSchema } from '../contract.ts';
import type { Store } from './store.ts';
import { noTracing, type SearchTracing } from './telemetry.ts';

const SEARCH_INPUT = z.strictObject({
  query: z.string().min(1).describe('What to look for, as a question or as words.'),
  k: z.number().int().min(1).max(MAX_K).default(5).describe('How many passages at most.'),
});

export function createServer(store: Store, version: string, tracing: SearchTracing = noTracing): McpServer {
  const server = new McpServer({ name: 'askdocs-search', version });
  server.registerTool(
    'crag_search',
    {
      title: 'Search the documents',
      description:
        'Finds the passages of the indexed documents that answer a question. Each text item is one passage: a line with its scores and its source, then its text. A text in parentheses means that nothing was found.',
      inputSchema: SEARCH_INPUT,
      outputSchema: searchResultSchema,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (options, { _meta }) =>
      guarded(async () => searchResult(await tracing.traced(options, _meta, (wanted) => store.search(wanted)))),
  );
  server.registerTool(
    'crag_stats',
    {
      title: 'What is in the index',
      description: 'Says how many passages and files the index holds, and how it searches.',
      inputSchema: z.strictObject({}),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    () => guarded(async () => ({ content: [{ type: 'text', text: await statsText(store) }] })),
  );
  server.registerResource(
    'stats',
    'crag://stats',
    { title: 'What is in the index', description: 'The same text as the tool crag_stats.', mimeType: 'text/plain' },
    async (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: await statsText(store) }] }),
  );
  return server;
}

/** `[cos 0.612  bm25 8.40  fusion 0.033] path/to/source.md`, then the body. A half that did not run scores nothing. */
export function passageText({ cosine, bm25, fusion, source, text }: Passage): string {
  const number = (value: number | null, digits: number) => (value === null ? 'n/a' : value.toFixed(digits));
  return `[cos ${number(cosine, 3)}  bm25 ${number(bm25, 2)}  fusion ${number(fusion, 3)}] ${source}\n${text}`;
}

export async function statsText(store: Store): Promise<string> {
  return Object.entries(await store.stats())
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function searchResult(found: SearchResult): CallToolResult {
  const texts = found.passages.length > 0 ? found.passages.map(passageText) : [found.note ?? '(no matching chunks)'];
  const { passages, below_gate, mode, note } = found;
  return {
    content: texts.map((text) => ({ type: 'text', text })),
    structuredContent: { passages, below_gate, mode, note },
  };
}

/** A failure becomes a sentence with isError: never a crash, never a stack. */
async function guarded(work: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await work();
  } catch (error) {
    console.error(error);
    const text =
      error instanceof CodedError
        ? error.message
        : 'The search failed; the reason stands in the log of the search server.';
    return { content: [{ type: 'text', text }], isError: true };
  }
}
