/** Time as the engine sees it: the real one, or one that jumps from event to event. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Runs `act` at that time, or at once if it has passed. */
  at(time: number, act: () => void): void;
}

export const realClock: Clock = {
  now: () => performance.now(),
  at: (time, act) => {
    setTimeout(act, Math.max(0, time - performance.now()));
  },
};

export interface VirtualClock extends Clock {
  /** Runs everything that is due, in order, up to and with that time. */
  runUntil(time: number): void;
}

export function createVirtualClock(): VirtualClock {
  let now = 0;
  let order = 0;
  const due: { time: number; order: number; act: () => void }[] = [];
  return {
    now: () => now,
    at(time, act) {
      due.push({ time: Math.max(time, now), order: order++, act });
      due.sort((a, b) => a.time - b.time || a.order - b.order);
    },
    runUntil(time) {
      for (let next = due[0]; next !== undefined && next.time <= time; next = due[0]) {
        due.shift();
        now = next.time;
        next.act();
      }
      now = time;
    },
  };
}
