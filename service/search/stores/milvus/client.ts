/**
 * The connection to the engine. The official client is an optional peer, loaded when an index is in Milvus. It connects
 * in its constructor and rejects a promise that nobody holds when nothing answers; here it is made when first needed and
 * made anew after a failure, so that a process outlives its engine and goes on when that is back.
 */

import { readFileSync } from 'node:fs';
import type { MilvusClient } from '@zilliz/milvus2-sdk-node';
import { CodedError } from '../../../contract.ts';
import type { Address } from './address.ts';
import { asFailure, statusFailure } from './failure.ts';

export type Sdk = typeof import('@zilliz/milvus2-sdk-node');

export interface Engine {
  readonly sdk: Sdk;
  readonly address: Address;
  /**
   * Runs one request within `ms`; throws `unavailable`, `timeout`, or `bad_config` with a sentence. A request that hands
   * `timeout` on is given up by the client as well, which else keeps one of its few connections waiting for the answer.
   */
  run<T>(request: (client: MilvusClient, timeout: number) => Promise<T>, ms?: number): Promise<T>;
  close(): void;
}

/** A search waits this long at most, with all its requests; the service gives a retrieval 20 seconds in all. */
export const SEARCH_MS = 10_000;
/** Writing, flushing and loading take longer. */
const REQUEST_MS = 120_000;
const CONNECT_MS = 5_000;

export async function openEngine(address: Address): Promise<Engine> {
  const sdk = await loadSdk();
  const ca = address.ca === undefined ? undefined : readCa(address.ca);
  let current: Promise<MilvusClient> | undefined;
  const client = (): Promise<MilvusClient> => {
    current ??= connect(sdk, address, ca).catch((error: unknown) => {
      current = undefined;
      throw error;
    });
    return current;
  };
  return {
    sdk,
    address,
    run: async (request, ms = REQUEST_MS) => {
      try {
        return await within(ms, address, async () => checked(await request(await client(), ms)));
      } catch (error) {
        throw asFailure(error, address);
      }
    },
    close: () => {
      void current?.then((connected) => connected.closeConnection()).catch(() => undefined);
      current = undefined;
    },
  };
}

async function loadSdk(): Promise<Sdk> {
  try {
    const sdk = await import('@zilliz/milvus2-sdk-node');
    // It logs to standard output, which carries a protocol; and what it logs has requests in it.
    sdk.logger.silent = true;
    return sdk;
  } catch (cause) {
    throw new CodedError(
      'bad_config',
      'An index in Milvus needs the package @zilliz/milvus2-sdk-node; install it with npm install @zilliz/milvus2-sdk-node@3.',
      { cause },
    );
  }
}

function readCa(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new CodedError('bad_config', `The certificate ${path} cannot be read; check ca= in the address.`, { cause });
  }
}

async function connect(sdk: Sdk, address: Address, ca: Buffer | undefined): Promise<MilvusClient> {
  const { user, secret } = address;
  const client = new sdk.MilvusClient({
    address: address.host,
    ssl: address.tls,
    ...(ca === undefined ? {} : { tls: { rootCert: ca } }),
    ...(address.database === undefined ? {} : { database: address.database }),
    ...(user === undefined ? {} : { username: user, password: secret ?? '' }),
    ...(user === undefined && secret !== undefined ? { token: secret } : {}),
    timeout: CONNECT_MS,
    // The client would wait the whole time anew for each retry; the caller's bound counts.
    maxRetries: 0,
    telemetry: { enabled: false },
    channelOptions: {
      // Pings on an idle connection make some servers hang up.
      'grpc.keepalive_permit_without_calls': 0,
      // A short pause between two attempts: an engine that is back is used within two seconds.
      'grpc.initial_reconnect_backoff_ms': 200,
      'grpc.max_reconnect_backoff_ms': 2_000,
    },
  });
  try {
    await within(CONNECT_MS, address, () => client.connectPromise);
    // It has one time for its greeting and for what comes after.
    client.timeout = REQUEST_MS;
    return client;
  } catch (error) {
    // Not waited for: closing waits until an engine that is silent was given up by the client too.
    client.closeConnection().catch(() => undefined);
    throw error;
  }
}

/** Throws `timeout` when the work takes longer; it may still go on. */
export async function within<T>(ms: number, address: Address, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new CodedError('timeout', `The engine of ${address.name} did not answer within ${ms / 1000} s.`));
    }, ms);
  });
  const working = work();
  // Whichever loses the race still settles; a late rejection is nobody's.
  working.catch(() => undefined);
  try {
    return await Promise.race([working, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The client resolves with what the engine refused. */
function checked<T>(answer: T): T {
  const failure = statusFailure(answer);
  if (failure !== undefined) throw failure;
  return answer;
}
