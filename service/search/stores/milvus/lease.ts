/**
 * One writer at a time. Whoever gets the alias COLLECTION_building made is the writer: the engine makes an alias once.
 * It keeps a lease among the facts of its build; where the lease has run out, or its process on this machine is gone,
 * the next one takes the build over and goes on with it.
 *
 * What this cannot promise: the engine has no transaction over lease and alias. A writer that was stopped for longer
 * than its lease, right between its last look at it and the switch of the alias, can still publish over its successor.
 * What it publishes is a whole index all the same, and the next run of either brings the documents in step.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '../../../contract.ts';
import type { Engine } from './client.ts';
import { type Facts, factsIn } from './facts.ts';

export interface Lease {
  /** Throws `busy` when another writer has it now. */
  confirm(): Promise<void>;
  /** Ends it at once, for whoever comes next. */
  release(): Promise<void>;
  /** Stops renewing it: there is nothing left to hold. */
  stop(): void;
}

interface Held {
  owner: string;
  host: string;
  pid: number;
  /** Milliseconds since 1970, by the owner's clock. */
  until: number;
}

const LEASE_MS = 20_000;
const RENEW_MS = 5_000;
/** After this another one who took the same lease at the same time has written too; the later one has it. */
const SETTLE_MS = 300;
const KEY = 'lease';

/** Throws `busy` while another writer has the build. */
export async function takeLease(engine: Engine, collection: string, { fresh }: { fresh: boolean }): Promise<Lease> {
  const facts = factsIn(engine, collection);
  const owner = randomUUID();
  const { name } = engine.address;
  if (!fresh) {
    const held = await heldIn(facts);
    if (held !== undefined && isAlive(held)) throw busy(name, held);
  }
  const renew = (until = Date.now() + LEASE_MS) => {
    const held: Held = { owner, host: hostname(), pid: process.pid, until };
    return facts.put(new Map([[KEY, JSON.stringify(held)]]));
  };
  const confirm = async () => {
    const held = await heldIn(facts);
    if (held?.owner !== owner) throw busy(name, held);
  };
  await renew();
  if (!fresh) {
    await sleep(SETTLE_MS);
    await confirm();
  }
  const timer = setInterval(() => {
    // A renewal that fails is made good by the next; `confirm` finds out when another writer has come meanwhile.
    confirm()
      .then(() => renew())
      .catch(() => undefined);
  }, RENEW_MS);
  timer.unref();
  const stop = () => clearInterval(timer);
  return {
    confirm,
    stop,
    async release() {
      stop();
      await confirm();
      await renew(0);
    },
  };
}

async function heldIn(facts: Facts): Promise<Held | undefined> {
  const found = (await facts.get([KEY])).get(KEY);
  return found === undefined ? undefined : (JSON.parse(found) as Held);
}

function isAlive({ host, pid, until }: Held): boolean {
  if (until <= Date.now()) return false;
  return host !== hostname() || runs(pid);
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export function busy(name: string, held?: { host: string; pid: number }): CodedError {
  const who = held === undefined ? '' : ` (process ${held.pid} on ${held.host})`;
  return new CodedError(
    'busy',
    `Another askdocs index is writing ${name}${who}; wait until it has ended and try again.`,
  );
}
