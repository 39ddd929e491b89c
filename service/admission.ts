/** Slots: at most so many answers at once, the rest is refused at once with the time after which to try again. */
import { CodedError } from './contract.ts';

export interface Lease {
  /** Gives the slot back; a second call does nothing. */
  release(): void;
}

export interface Admission {
  readonly limit: number;
  inFlight(): number;
  /** Throws `busy` when every slot is taken. */
  acquire(): Lease;
  /** Whole seconds until a slot is likely free: the median of recent durations divided by the slots, 1 to 60. */
  retryAfterSeconds(): number;
}

const REMEMBERED = 50;

export function createAdmission(limit: number, now: () => number = () => performance.now()): Admission {
  const durations: number[] = [];
  let taken = 0;
  const remember = (ms: number) => {
    durations.push(ms);
    if (durations.length > REMEMBERED) durations.shift();
  };
  const retryAfterSeconds = () => {
    const sorted = durations.toSorted((a, b) => a - b);
    const median = sorted[sorted.length >> 1] ?? 1000;
    return Math.min(60, Math.max(1, Math.ceil(median / limit / 1000)));
  };
  return {
    limit,
    inFlight: () => taken,
    retryAfterSeconds,
    acquire() {
      if (taken >= limit) {
        throw new CodedError('busy', `All ${limit} slots are taken; try again in ${retryAfterSeconds()} s.`);
      }
      taken += 1;
      const since = now();
      let held = true;
      return {
        release() {
          if (!held) return;
          held = false;
          taken -= 1;
          remember(now() - since);
        },
      };
    },
  };
}
