/** The sessions of MCP clients: a notification that cancels a call must find the server that runs it. */
import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { type CallOrigin, type Calls, createMcpServer, type McpDeps } from './mcp-tools.ts';

export interface Session {
  /** `body`: as parsed, or undefined for a request without one. */
  handle(request: Request, body: unknown, requestId?: string): Promise<Response>;
}

export interface Sessions {
  open(): Promise<Session>;
  find(id: string | null): Session | undefined;
}

/** Beyond it the session that was silent the longest goes; its client begins anew, as the protocol has it. */
const MAX_SESSIONS = 256;

export function createSessions(deps: McpDeps): Sessions {
  // In the order of last use.
  const sessions = new Map<string, Session & { busy(): boolean; close(): Promise<void> }>();
  const makeRoom = () => {
    const idle = [...sessions].find(([, session]) => !session.busy());
    if (sessions.size < MAX_SESSIONS || idle === undefined) return;
    sessions.delete(idle[0]);
    void idle[1].close();
  };
  return {
    async open() {
      const calls: Calls = { running: 0 };
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        keepAliveMs: deps.limits.heartbeatMs,
        onsessioninitialized: (id) => {
          makeRoom();
          sessions.set(id, session);
        },
        onsessionclosed: (id) => {
          sessions.delete(id);
        },
      });
      const server = createMcpServer(deps, calls);
      const session = {
        busy: () => calls.running > 0,
        close: () => server.close(),
        handle: (request: Request, body: unknown, requestId = '') => {
          const origin: CallOrigin = { left: request.signal, requestId };
          // Keys are checked before; this carries the request to the tool.
          const authInfo = { token: '', clientId: '', scopes: [], extra: { ...origin } };
          return transport.handleRequest(request, body === undefined ? {} : { parsedBody: body, authInfo });
        },
      };
      await server.connect(transport);
      return session;
    },
    find(id) {
      const session = id === null ? undefined : sessions.get(id);
      if (id === null || session === undefined) return undefined;
      sessions.delete(id);
      sessions.set(id, session);
      return session;
    },
  };
}
