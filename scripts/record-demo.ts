/**
 * docs/pictures/demo.svg: what scripts/demo.sh prints against a service over the demo corpus, as a terminal shows it.
 * tsx scripts/record-demo.ts [--db data/demo.db]
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { loadConfig } from '../service/config.ts';
import { silentLogger } from '../service/log.ts';
import { startService } from '../service/serve.ts';
import { terminalPicture } from './terminal-picture.ts';

const SCRIPT = fileURLToPath(new URL('demo.sh', import.meta.url));
const OUT = fileURLToPath(new URL('../docs/pictures/demo.svg', import.meta.url));
const QUESTION = 'What is the default body limit of a fastify server?';

const { values } = parseArgs({ options: { db: { type: 'string', default: 'data/demo.db' } } });
const service = await startService(loadConfig({ ASKDOCS_MCP_DB: values.db }), { log: silentLogger });
try {
  const { stdout } = await promisify(execFile)('bash', [SCRIPT, service.url, QUESTION], {
    env: { PATH: process.env.PATH, NO_COLOR: '1' },
  });
  mkdirSync(dirname(OUT), { recursive: true });
  writeFileSync(OUT, terminalPicture(`$ bash scripts/demo.sh\n${stdout}`));
  console.log('docs/pictures/demo.svg');
} finally {
  await service.close();
}
