/** Writes a calibrated gate into an index. */
import { openForWriting, setMeta } from './db.ts';
import { lockForWriting } from './lock.ts';

/** Throws `busy` while the index is being written. */
export function writeGate(path: string, mode: 'lexical' | 'hybrid', threshold: number): void {
  const unlock = lockForWriting(path);
  try {
    const db = openForWriting(path);
    setMeta(db, { [mode === 'hybrid' ? 'gate_sum' : 'gate_coverage']: String(threshold) });
    db.close();
  } finally {
    unlock();
  }
}
