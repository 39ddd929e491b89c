/**
 * The MCP client: one retrieval server as a child process on stdio. It is started when first needed (or at warm-up),
 * started once more when it dies, hangs or talks nonsense during a call, and killed with the service: its stdin ends.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { McpError, ErrorCode as McpErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { CodedError, type Passage } from '../contract.ts';
import { describeError, messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import { parseStats, type Retrieved, readSearchResult, type ToolResult } from './passages.ts';

export interface RetrieverOptions {
  /** Program and arguments. */
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  limits: { readonly retrievalMs: number; readonly retrievalStartMs: number; readonly passageChars: number };
  log: Logger;
}

export interface Retriever {
  /**
   * Ranked passages for a question; throws `retrieval_failed`, `timeout` or `cancelled`. `meta` goes along as the
   * call's `_meta`, as MCP has it for trace context.
   */
  search(question: string, k: number, signal: AbortSignal, meta?: CallMeta): Promise<Retrieved>;
  /** What `crag_stats` says, by name; also the proof that the server answers. */
  stats(signal: AbortSignal): Promise<Record<string, string>>;
  /** Process id of the server while there is one. */
  pid(): number | undefined;
  close(): Promise<void>;
}

export type CallMeta = Readonly<Record<string, string>>;

export function createRetriever(options: RetrieverOptions): Retriever {
  const link = createLink(options);
  const call = async (
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    meta?: CallMeta,
  ): Promise<ToolResult> => {
    const params = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
    for (let attempt = 0; ; attempt += 1) {
      let connection: Connection | undefined;
      const own = follow(signal);
      try {
        connection = await abortable(link.get(), signal);
        return await connection.client.callTool(params, undefined, {
          signal: own.signal,
          timeout: options.limits.retrievalMs,
        });
      } catch (error) {
        if (signal.aborted) throw new CodedError('cancelled', 'The client left.', { cause: error });
        if (isRefusal(error)) throw failed('The retrieval server refused the call.', error);
        if (error instanceof z.ZodError || error instanceof z.core.$ZodError)
          throw failed('The retrieval server answered in a form that is not the contract.', error);
        if (connection !== undefined) link.drop(connection);
        if (attempt > 0 || link.isClosed()) throw asFailure(error);
        options.log.warn('the retrieval server failed; starting it again', { cause: describeError(error) });
      } finally {
        own.unfollow();
      }
    }
  };
  return {
    async search(question, k, signal, meta) {
      const found = readSearchResult(await call('crag_search', { query: question, k }, signal, meta));
      const cut = (passages: Passage[]) => passages.map((passage) => bounded(passage, options));
      return { ...found, passages: cut(found.passages.slice(0, k)), below_gate: cut(found.below_gate) };
    },
    stats: async (signal) => parseStats(await call('crag_stats', {}, signal)),
    pid: () => link.pid(),
    close: () => link.close(),
  };
}

interface Connection {
  client: Client;
  transport: StdioClientTransport;
  pid: number | undefined;
}

/** Holds at most one connection; those who ask while it is being made share it. */
function createLink(options: RetrieverOptions) {
  let current: Promise<Connection> | undefined;
  let live: Connection | undefined;
  let closed = false;
  /** Process id of a server that is being started. */
  let starting: number | undefined;
  const forget = (connection: Connection) => {
    if (live === connection) {
      live = undefined;
      current = undefined;
    }
  };
  const open = async (): Promise<Connection> => {
    const connection = await connect(options, (pid) => {
      starting = pid;
    }).finally(() => {
      starting = undefined;
    });
    if (closed) {
      await kill(connection);
      throw new CodedError('unavailable', 'The service is shutting down.');
    }
    live = connection;
    connection.client.onclose = () => forget(connection);
    return connection;
  };
  return {
    isClosed: () => closed,
    pid: () => live?.pid,
    get(): Promise<Connection> {
      if (closed) return Promise.reject(new CodedError('unavailable', 'The service is shutting down.'));
      if (current === undefined) {
        const opening = open();
        current = opening;
        opening.catch(() => {
          if (current === opening) current = undefined;
        });
      }
      return current;
    },
    /** Gives a connection up; the child is killed, for it may hang. */
    drop(connection: Connection): void {
      forget(connection);
      void kill(connection);
    },
    async close(): Promise<void> {
      closed = true;
      // One that has not greeted yet has nothing to lose, and may take half a minute to.
      endProcess(starting);
      const connection = await current?.catch(() => undefined);
      current = undefined;
      // The end of its stdin tells a well-behaved server to go; the transport kills the others after two seconds.
      await connection?.client.close().catch(() => undefined);
    },
  };
}

async function connect(options: RetrieverOptions, onPid: (pid: number | undefined) => void): Promise<Connection> {
  const [program = '', ...args] = options.command;
  const transport = new StdioClientTransport({ command: program, args, env: { ...options.env }, stderr: 'pipe' });
  const client = new Client({ name: 'askdocs', version: '1' });
  const tail = keepTail(transport);
  // What is no protocol on its stdout is skipped; the log says so once.
  let complained = false;
  const isFlood = createFloodCheck();
  client.onerror = (error) => {
    if (!complained)
      options.log.warn('the retrieval server wrote what is no protocol', { cause: messageOf(error).slice(0, 200) });
    complained = true;
    if (isFlood()) endProcess(transport.pid);
  };
  let pid: number | undefined;
  try {
    const connecting = client.connect(transport, { timeout: options.limits.retrievalStartMs });
    pid = transport.pid ?? undefined;
    onPid(pid);
    await connecting;
    return { client, transport, pid };
  } catch (error) {
    await kill({ client, transport, pid: transport.pid ?? pid });
    const said = tail().trim();
    throw failed(
      'The retrieval server could not be started.',
      said === '' ? error : new Error(`it said: ${said}`, { cause: error }),
    );
  }
}

/** Reads stderr to the end, lest a full pipe block the server, and keeps its last two thousand characters. */
function keepTail(transport: StdioClientTransport): () => string {
  let tail = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString('utf8')).slice(-2000);
  });
  return () => tail;
}

async function kill({ client, pid }: Connection): Promise<void> {
  endProcess(pid);
  await client.close().catch(() => undefined);
}

function endProcess(pid: number | null | undefined): void {
  try {
    if (pid !== undefined && pid !== null) process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

/** Each line that is no protocol costs the service as much as a message: so many in a second leave it no time to answer. */
const FLOOD_PER_S = 2000;

function createFloodCheck(now: () => number = () => performance.now()): () => boolean {
  let since = now();
  let count = 0;
  return () => {
    if (now() - since > 1000) {
      since = now();
      count = 0;
    }
    count += 1;
    return count > FLOOD_PER_S;
  };
}

/** An answer of the server that a restart would not change. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof McpError)) return false;
  return error.code !== McpErrorCode.ConnectionClosed && error.code !== McpErrorCode.RequestTimeout;
}

function asFailure(error: unknown): CodedError {
  if (error instanceof CodedError) return error;
  if (error instanceof McpError && error.code === McpErrorCode.RequestTimeout) {
    return new CodedError('timeout', 'The retrieval server did not answer in time.', { cause: error });
  }
  return failed('The retrieval server ended during the search.', error);
}

function failed(message: string, cause: unknown): CodedError {
  return new CodedError('retrieval_failed', message, { cause });
}

function bounded(passage: Passage, options: RetrieverOptions): Passage {
  const { passageChars } = options.limits;
  if (passage.text.length <= passageChars) return passage;
  options.log.warn('a passage is too long and was cut', {
    source: passage.source,
    chars: passage.text.length,
    kept: passageChars,
  });
  return { ...passage, end: null, text: passage.text.slice(0, passageChars).replace(/[\uD800-\uDBFF]$/, '') };
}

/** Rejects as soon as the signal fires, whatever the promise does: others may wait for it too. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** A signal of one call alone: the SDK keeps listening on it after the call, and would cancel what has ended. */
function follow(signal: AbortSignal): { signal: AbortSignal; unfollow(): void } {
  const own = new AbortController();
  const onAbort = () => own.abort(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return { signal: own.signal, unfollow: () => signal.removeEventListener('abort', onAbort) };
}
