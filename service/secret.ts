/** The secret of the fences: drawn once, kept beside the index, readable by its owner alone. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Logger } from './log.ts';

const BYTES = 32;

/** Without an index to keep it beside (a foreign retrieval server), or without the right to write, it lasts for this process. */
export function loadSecret(db: string, log: Logger): Uint8Array {
  const file = `${db}.secret`;
  try {
    if (existsSync(file)) return read(file);
    const drawn = randomBytes(BYTES);
    if (!existsSync(db)) return drawn;
    return keep(file, drawn);
  } catch (error) {
    log.warn('the secret of the fences could not be kept; cached prompts will not outlive this process', {
      file,
      cause: String(error),
    });
    return randomBytes(BYTES);
  }
}

function read(file: string): Uint8Array {
  const bytes = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
  if (bytes.length !== BYTES) throw new Error('it is damaged; delete it to draw another');
  return bytes;
}

/** Whoever writes first wins, should two processes start at once. */
function keep(file: string, drawn: Uint8Array): Uint8Array {
  try {
    writeFileSync(file, `${Buffer.from(drawn).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
    return drawn;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return read(file);
    throw error;
  }
}
