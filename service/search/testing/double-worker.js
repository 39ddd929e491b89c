/** A worker of the tests: does what its task says. */
import { setTimeout as sleep } from 'node:timers/promises';

export async function double({ number, ms = 0, fail, exit }) {
  if (fail) throw new Error(fail);
  if (exit)
    setTimeout(() => {
      throw new Error('gone');
    });
  if (ms > 0 || exit) await sleep(exit ? 60_000 : ms);
  return number * 2;
}
