/** Starts the stand-in retrieval server for a test. */
import { fileURLToPath } from 'node:url';
import { LIMITS } from '../config.ts';
import { silentLogger } from '../log.ts';
import { createRetriever, type Retriever, type RetrieverOptions } from '../retrieve/client.ts';

/** Program and arguments of the stand-in in the given mode; `log` is a file that gets each method called. */
export function standInCommand(mode: string, log?: string): string[] {
  const file = fileURLToPath(new URL('./mcp-stand-in.ts', import.meta.url));
  return [process.execPath, '--import', import.meta.resolve('tsx'), file, mode, ...(log === undefined ? [] : [log])];
}

export function standInRetriever(mode: string, options: Partial<RetrieverOptions> = {}): Retriever {
  return createRetriever({ command: standInCommand(mode), env: {}, limits: LIMITS, log: silentLogger, ...options });
}
