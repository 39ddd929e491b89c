/** Writes a calibrated gate into an index. */
import { writeMeta } from './stores/open.ts';

/** Throws `busy` while the index is being written. */
export function writeGate(db: string, mode: 'lexical' | 'hybrid', threshold: number): Promise<void> {
  return writeMeta(db, { [mode === 'hybrid' ? 'gate_sum' : 'gate_coverage']: String(threshold) });
}
