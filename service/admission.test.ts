import { expect, it } from 'vitest';
import { createAdmission } from './admission.ts';

it('gives as many slots as there are, refuses the next at once, and takes each back once', () => {
  const admission = createAdmission(2, () => 0);
  const [first] = [admission.acquire(), admission.acquire()];
  expect(() => admission.acquire()).toThrow('All 2 slots are taken; try again in 1 s.');
  first?.release();
  first?.release();
  expect(admission.inFlight()).toBe(1);
  admission.acquire();
  expect(() => admission.acquire()).toThrow(expect.objectContaining({ code: 'busy' }));
});

it('Retry-After follows the median of recent durations, shared by the slots', () => {
  let now = 0;
  const admission = createAdmission(2, () => now);
  expect(admission.retryAfterSeconds()).toBe(1);
  for (const ms of [100, 9000, 10_000, 11_000, 500_000]) {
    const lease = admission.acquire();
    now += ms;
    lease.release();
  }
  expect(admission.retryAfterSeconds()).toBe(5);
  for (let i = 0; i < 50; i += 1) {
    const lease = admission.acquire();
    now += 1e6;
    lease.release();
  }
  expect(admission.retryAfterSeconds()).toBe(60);
});
