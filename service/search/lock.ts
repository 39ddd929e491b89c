/**
 * One writer at a time. The lock is an exclusive transaction on a small database beside the index: the operating system
 * lets go of it when the process dies, however it dies.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { CodedError } from '../contract.ts';

/** Returns the function that unlocks; throws `busy` when another process or call is writing. */
export function lockForWriting(path: string): () => void {
  mkdirSync(dirname(path), { recursive: true });
  const lock = new Database(`${path}.lock`, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    throw new CodedError('busy', `Another askdocs index is writing ${path}; wait until it has ended and try again.`, {
      cause,
    });
  }
  return () => lock.close();
}
