/** The MCP Inspector's command line against `/mcp`: lists the tools and calls both. */
import { join } from 'node:path';
import { keep, ROOT, run, startProofService } from './setup.ts';

const INSPECTOR = '@modelcontextprotocol/inspector@1.0.3';

export async function proveMcpInspector(): Promise<boolean> {
  // Apart from the project: it brings a browser application along. It asks for a newer Node than its command line needs.
  const home = join(ROOT, '.models', 'inspector');
  const installed = await run('npm', [
    'install',
    '--silent',
    '--no-save',
    '--ignore-scripts',
    '--no-engine-strict',
    '--prefix',
    home,
    INSPECTOR,
  ]);
  if (installed.code !== 0) throw new Error(`npm could not install ${INSPECTOR}.`);
  const service = await startProofService({ ASKDOCS_API_KEYS: 'first-key-1' });
  const inspector = join(home, 'node_modules', '.bin', 'mcp-inspector');
  const call = (args: string[]) =>
    run(inspector, [
      '--cli',
      `${service.url}/mcp`,
      '--transport',
      'http',
      '--header',
      'Authorization: Bearer first-key-1',
      ...args,
    ]);
  try {
    const tools = await call(['--method', 'tools/list']);
    const asked = await call([
      '--method',
      'tools/call',
      '--tool-name',
      'ask',
      '--tool-arg',
      'question=What is a slot?',
    ]);
    const found = await call(['--method', 'tools/call', '--tool-name', 'search', '--tool-arg', 'question=slot', 'k=1']);
    const held = { tools: namesOf(tools.stdout), ask: textOf(asked.stdout), search: textOf(found.stdout) };
    const lines = [
      `${INSPECTOR} --cli, over Streamable HTTP with a key`,
      `tools/list: ${held.tools.join(', ')}`,
      `tools/call ask:\n${held.ask}`,
      `tools/call search, k=1:\n${held.search}`,
    ];
    keep('mcp-inspector', lines.join('\n\n'), service.url);
    return held.tools.join() === 'ask,search' && held.ask.includes('Sources:') && held.search.startsWith('1. ');
  } finally {
    await service.close();
  }
}

function namesOf(output: string): string[] {
  const { tools } = JSON.parse(output) as { tools: { name: string }[] };
  return tools.map((tool) => tool.name);
}

function textOf(output: string): string {
  const { content } = JSON.parse(output) as { content: { text: string }[] };
  return content.map((item) => item.text).join('\n');
}
