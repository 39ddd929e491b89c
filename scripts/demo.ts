/**
 * `npm run demo`: the whole road on the demo corpus. Builds corpus and index, starts the service, walks through four
 * scenes, evaluates all cases and asks the gate. Stops everything it started.
 */
import { rm } from 'node:fs/promises';
import { styleText } from 'node:util';
import { loadConfig } from '../service/config.ts';
import { createLogger, type Logger } from '../service/log.ts';
import { startService } from '../service/serve.ts';
import { buildCorpus } from './build-corpus.ts';
import { playScenes } from './demo-scenes.ts';
import { readEnvironment } from './environment.ts';
import { runAskdocs } from './run-askdocs.ts';

const CORPUS = 'data/corpus';
const INDEX = 'data/demo.db';
const RUN = 'data/demo-run';
/** A line per answer would drown what the demo shows. */
const warningsOnly: Logger = { ...createLogger(process.stderr), info: () => undefined };

process.exitCode = await main().catch((error: unknown) => {
  console.error(`demo: ${error instanceof Error ? error.message : String(error)}`);
  return 69;
});

async function main(): Promise<number> {
  const started = Date.now();
  heading('1. Documents: fetched at pinned versions, indexed');
  const { folder, built } = await buildCorpus(CORPUS);
  console.log(built ? 'Fetched the documentation of fastify, pino and undici.' : 'The documents are there already.');
  if ((await askdocs('models', 'pull')) !== 0) {
    console.log('Without the embedder, search goes by words alone; the rest of the demo is the same.');
  }
  const indexed = await askdocs('index', folder, '--db', INDEX);
  if (indexed !== 0) return indexed;

  heading('2. Four scenes with the service');
  const config = loadConfig({ ...readEnvironment(), ASKDOCS_MCP_DB: INDEX, ASKDOCS_PORT: '0' });
  const service = await startService(config, { log: warningsOnly });
  try {
    await playScenes({ url: service.url, out: process.stdout });

    heading('3. The evaluation: every demo case, judged, with intervals');
    await rm(RUN, { recursive: true, force: true });
    const evaluated = await askdocs('eval', 'all', '--url', service.url, '--db', INDEX, '--out', RUN);
    if (evaluated !== 0) return evaluated;
  } finally {
    await service.close();
  }

  heading('4. The gate: may this version land?');
  const verdict = await askdocs('gate', 'check');
  console.log(
    `\nDone in ${Math.round((Date.now() - started) / 1000)} s. Everything is stopped. Next: npm start, or askdocs index on your own documents.`,
  );
  return verdict;
}

function heading(text: string): void {
  console.log(`\n${styleText('bold', text)}`);
}

function askdocs(...args: string[]): Promise<number> {
  console.log(styleText('dim', `$ npx askdocs ${args.join(' ')}`));
  return runAskdocs(args);
}
