/** The MCP Inspector's command line against the search server on stdio: lists and calls the tools, and reads the resource. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { indexPaths } from '../../service/search/ingest/index.ts';
import { keep, ROOT, run } from './setup.ts';

const INSPECTOR = '@modelcontextprotocol/inspector@0.22.0';

export async function proveSearchInspector(): Promise<boolean> {
  const home = join(ROOT, '.models', 'inspector-stdio');
  const options = ['--silent', '--no-save', '--ignore-scripts', '--no-engine-strict'];
  const installed = await run('npm', ['install', ...options, '--prefix', home, INSPECTOR]);
  if (installed.code !== 0) throw new Error(`npm could not install ${INSPECTOR}.`);
  const folder = mkdtempSync(join(tmpdir(), 'askdocs-proof-'));
  const db = join(folder, 'docs.db');
  try {
    await indexPaths({ roots: [join(ROOT, 'docs')], db, exclude: ['proofs/**'] });
    const server = [process.execPath, '--import', 'tsx', 'service/search/server.ts'];
    const call = async (...args: string[]) => {
      const inspector = join(home, 'node_modules', '.bin', 'mcp-inspector');
      const env = ['-e', `CRAG_DB=${db}`, '-e', 'ASKDOCS_EMBED_MODEL=none'];
      return (await run(inspector, ['--cli', ...env, ...server, '--method', ...args])).stdout;
    };
    const tools = namesOf(await call('tools/list'));
    const question = ['--tool-arg', 'query=How many bytes may a question have?', 'k=1'];
    const found = textOf(await call('tools/call', '--tool-name', 'crag_search', ...question));
    const stats = textOf(await call('tools/call', '--tool-name', 'crag_stats'));
    const resources = urisOf(await call('resources/list'));
    const read = contentOf(await call('resources/read', '--uri', 'crag://stats'));
    const lines = [
      `${INSPECTOR} --cli, over stdio to service/search/server.ts`,
      `tools/list: ${tools.join(', ')}`,
      `tools/call crag_search, k=1:\n${found}`,
      `tools/call crag_stats:\n${stats}`,
      `resources/list: ${resources.join(', ')}`,
      `resources/read crag://stats: ${read === stats ? 'the same text' : read}`,
    ];
    keep('search-inspector', lines.join('\n\n').replaceAll(folder, '/PATH'));
    return tools.join() === 'crag_search,crag_stats' && found.startsWith('[cos') && read === stats;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function namesOf(output: string): string[] {
  return (JSON.parse(output) as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

function urisOf(output: string): string[] {
  return (JSON.parse(output) as { resources: { uri: string }[] }).resources.map(({ uri }) => uri);
}

function textOf(output: string): string {
  return (JSON.parse(output) as { content: { text: string }[] }).content.map(({ text }) => text).join('\n');
}

function contentOf(output: string): string {
  return (JSON.parse(output) as { contents: { text: string }[] }).contents.map(({ text }) => text).join('\n');
}
