/** The settings of the process: its environment, and under it a file `.env` in the folder it was started in. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Environment } from '../service/config.ts';

/** What is set in the environment wins over the file. */
export function readEnvironment(folder: string = process.cwd()): Environment {
  const file = resolve(folder, '.env');
  const fromFile = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
  return { ...fromFile, ...process.env };
}
