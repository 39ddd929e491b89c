/** The least an MCP server can be: one tool that says the same words each time. What a call of it takes is the protocol's. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const server = new McpServer({ name: 'bare', version: '1' });
server.registerTool('nothing', {}, async () => ({ content: [{ type: 'text', text: 'nothing' }] }));
await server.connect(new StdioServerTransport());
