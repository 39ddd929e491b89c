/** Times of calls over MCP on stdio: a search, a call that searches nothing, and one to a server that does nothing at all. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
/** Calls before the ones that count. */
const WARM_UP = 300;

export async function benchMcp(db: string, questions: readonly string[]) {
  const { client, pid } = await connect(path('../../service/search/server.ts'), { CRAG_DB: db });
  const bare = await connect(path('bare-mcp.ts'));
  const search: number[] = [];
  for (const query of questions) search.push(await time(client, 'crag_search', { query, k: 5 }));
  const empty: number[] = [];
  const nothing: number[] = [];
  // In turn, so that what else the machine does meets both.
  for (let at = -WARM_UP; at < questions.length; at++) {
    const [ours, theirs] = [await time(client, 'crag_stats', {}), await time(bare.client, 'nothing', {})];
    if (at < 0) continue;
    empty.push(ours);
    nothing.push(theirs);
  }
  const mebibytes = residentMebibytes(pid);
  await Promise.all([client.close(), bare.client.close()]);
  return { search: search.slice(search.length / 2), empty, nothing, mebibytes };
}

async function connect(script: string, settings: Record<string, string> = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--import', import.meta.resolve('tsx'), script],
    env: { ...(process.env as Record<string, string>), ...settings },
  });
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport);
  return { client, pid: transport.pid ?? 0 };
}

async function time(client: Client, name: string, input: Record<string, unknown>): Promise<number> {
  const started = performance.now();
  await client.callTool({ name, arguments: input });
  return performance.now() - started;
}

function residentMebibytes(pid: number): string {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024).toFixed(0);
  } catch {
    return 'unknown';
  }
}
