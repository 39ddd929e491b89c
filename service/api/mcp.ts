/** `/mcp`: the service as an MCP server over Streamable HTTP, with the tools `ask` and `search`. */
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import type { H3Event } from 'h3';
import { z } from 'zod';
import type { Access } from '../access.ts';
import { requestId } from '../access.ts';
import { readJson } from '../body.ts';
import { CodedError } from '../contract.ts';
import { nodeRequest, type Route } from '../routes.ts';
import { createSessions, type Sessions } from './mcp-sessions.ts';
import type { McpDeps } from './mcp-tools.ts';

/** Offers POST and DELETE. There is no stream for GET: the server never speaks unasked. */
export function mcpRoutes(deps: McpDeps, access: Access): Record<string, Route> {
  const sessions = createSessions(deps);
  const handle = async (event: H3Event) => {
    access.checkOrigin(event);
    const id = event.req.headers.get('mcp-session-id');
    if (event.req.method === 'DELETE') return (await sessions.find(id)?.handle(event.req, undefined)) ?? unknown(id);
    const body = await readJson(nodeRequest(event), z.unknown(), {
      bodyBytes: deps.limits.chatBodyBytes,
      bodyMs: deps.limits.bodyMs,
    });
    const session = id === null ? await opened(sessions, body) : sessions.find(id);
    if (session === undefined) return unknown(id);
    return session.handle(event.req, body, requestId(event));
  };
  return { '/mcp': { methods: { POST: handle, DELETE: handle } } };
}

function opened(sessions: Sessions, body: unknown) {
  const messages = Array.isArray(body) ? body : [body];
  if (messages.some((message) => isInitializeRequest(message))) return sessions.open();
  throw new CodedError('bad_input', 'A session begins with the request initialize; send Mcp-Session-Id after it.');
}

/** As the protocol has it: 404 tells a client to begin anew. */
function unknown(id: string | null): Response {
  const message = id === null ? 'Send Mcp-Session-Id.' : 'There is no such session; begin anew with initialize.';
  const body = { jsonrpc: '2.0', error: { code: -32001, message }, id: null };
  return Response.json(body, { status: id === null ? 400 : 404 });
}
