/** The service an evaluation asks: the one at --url, or one started for it and stopped after it. */
import { existsSync } from 'node:fs';
import { loadConfig } from '../service/config.ts';
import { CodedError } from '../service/contract.ts';
import { createLogger } from '../service/log.ts';
import { startService } from '../service/serve.ts';

export interface Service {
  url: string;
  close(): Promise<void>;
}

export async function serviceFor(args: { url?: string | undefined; db: string }, runs: number): Promise<Service> {
  if (args.url !== undefined) return { url: checkedUrl(args.url), close: async () => {} };
  if (!existsSync(args.db)) {
    throw new CodedError(
      'bad_input',
      `there is no index at ${args.db}; make one with askdocs index PATH --db ${args.db}`,
    );
  }
  // A cached prompt gives back a copy of the first answer: repetitions would measure nothing.
  const repeated = runs > 1 ? { ASKDOCS_LLM_CACHE_PROMPT: 'false' } : {};
  const env = { ...process.env, ...repeated, ASKDOCS_MCP_DB: args.db, ASKDOCS_HOST: '127.0.0.1', ASKDOCS_PORT: '0' };
  // One line an answer would drown the progress; what goes wrong is said.
  return startService(loadConfig(env), { log: { ...createLogger(process.stderr), info() {} } });
}

function checkedUrl(url: string): string {
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new CodedError('bad_input', `--url takes an http address, not "${url}"`);
  return url;
}
