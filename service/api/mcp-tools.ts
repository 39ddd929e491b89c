/** The tools of `/mcp`. Their schemas are those of the HTTP API. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult, ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import packageJson from '../../package.json' with { type: 'json' };
import { type AskDeps, openAnswer } from '../ask.ts';
import type { Limits } from '../config.ts';
import {
  type AskRequest,
  answerSchema,
  askRequestSchema,
  type SearchRequest,
  type SearchResponse,
  type Source,
  searchRequestSchema,
  searchResponseSchema,
  sourceSchema,
} from '../contract.ts';
import { describeError, failureOf } from '../errors.ts';
import { footer } from './footer.ts';

export interface McpDeps extends AskDeps {
  limits: Limits;
  search(request: SearchRequest, left: AbortSignal): Promise<SearchResponse>;
}

/** How many calls of one session run. */
export interface Calls {
  running: number;
}

/** The HTTP request that a call came with: when its client goes, the call ends. */
export interface CallOrigin {
  left: AbortSignal;
  requestId: string;
}
type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

const READ_ONLY = { readOnlyHint: true, openWorldHint: false };

export function createMcpServer(deps: McpDeps, calls: Calls): McpServer {
  const server = new McpServer({ name: 'askdocs', version: packageJson.version });
  server.registerTool(
    'ask',
    {
      title: 'Ask the documents',
      description:
        'Answers a question from the indexed documents, with numbered citations that were checked, or refuses.',
      inputSchema: askRequestSchema,
      outputSchema: answerSchema.extend({ sources: sourceSchema.array() }),
      annotations: READ_ONLY,
    },
    (request, extra) => bounded(deps, calls, extra, (left, id) => askTool(request, deps, extra, left, id)),
  );
  server.registerTool(
    'search',
    {
      title: 'Search the documents',
      description: 'Returns the passages of the indexed documents that fit a question best, ranked, without an answer.',
      inputSchema: searchRequestSchema,
      outputSchema: searchResponseSchema,
      annotations: READ_ONLY,
    },
    (request, extra) => bounded(deps, calls, extra, (left) => searchTool(request, deps, left)),
  );
  return server;
}

/** Runs a call with a signal that fires when it is cancelled or its client is gone; a failure is a result that says so. */
async function bounded(
  deps: McpDeps,
  calls: Calls,
  extra: Extra,
  run: (left: AbortSignal, requestId: string) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  // The SDK hands on what the transport was given as `authInfo`, and nothing else of the HTTP request.
  const origin = extra.authInfo?.extra as CallOrigin | undefined;
  const signals = origin === undefined ? [extra.signal] : [extra.signal, origin.left];
  calls.running += 1;
  try {
    return await run(AbortSignal.any(signals), origin?.requestId ?? '');
  } catch (error) {
    const { code, message } = failureOf(error, 'internal');
    if (code === 'internal') deps.log.error('request failed', { code, cause: describeError(error) });
    return failed(message);
  } finally {
    calls.running -= 1;
  }
}

async function askTool(
  request: AskRequest,
  deps: McpDeps,
  extra: Extra,
  left: AbortSignal,
  requestId: string,
): Promise<CallToolResult> {
  const traceparent = textOf(extra._meta?.traceparent) ?? textOf(extra.requestInfo?.headers.traceparent);
  const caller = { route: 'POST /mcp', requestId, traceparent, left, arrived: performance.now() };
  const answer = openAnswer(request, deps, caller);
  let sources: Source[] = [];
  let tokens = 0;
  try {
    for await (const { event, data } of answer.events) {
      if (event === 'sources') sources = data.sources;
      else if (event === 'token') {
        tokens += 1;
        await progress(extra, tokens, data.text);
      } else if (event === 'error') return failed(data.message, data.partial);
      else {
        const text = data.answer + footer(data, sources);
        return { content: [{ type: 'text', text }], structuredContent: { ...data, sources } };
      }
    }
  } finally {
    answer.finish();
  }
  return failed('The answer ended without a last event.');
}

async function searchTool(request: SearchRequest, deps: McpDeps, left: AbortSignal): Promise<CallToolResult> {
  const found = await deps.search(request, left);
  const texts = found.passages.map((passage, i) => `${i + 1}. ${passage.source}\n${passage.text}`);
  return {
    content: [{ type: 'text', text: texts.length === 0 ? 'No passage fits.' : texts.join('\n\n') }],
    structuredContent: { ...found },
  };
}

/** Each piece as it is written, for a client that asked: it can show it, and knows that the call lives. */
async function progress(extra: Extra, count: number, message: string): Promise<void> {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return;
  const params = { progressToken, progress: count, message };
  // A reader that is gone ends the call by its signal.
  await extra.sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
}

function failed(message: string, partial?: string): CallToolResult {
  const more = partial === undefined ? '' : `\n\nWhat had been written:\n${partial}`;
  return { isError: true, content: [{ type: 'text', text: message + more }] };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
