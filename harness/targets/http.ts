/** POST with the one kind of retry the harness makes: a busy service (503) is waited for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '../../service/contract.ts';
import { GONE } from './target.ts';

/** Longest single pause, whatever Retry-After says; and how often a busy service is asked again, about half an hour. */
const MAX_PAUSE_MS = 30_000;
const MAX_ATTEMPTS = 600;

export interface Posted {
  response: Response;
  attempts: number;
  /** When the request that got through was sent, by `performance.now()`. */
  sentAt: number;
}

/** Rejects when the connection fails or the signal aborts; any status but 503 is the caller's. */
export async function postPatiently(
  url: string,
  body: unknown,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Posted> {
  for (let attempts = 1; ; attempts += 1) {
    const sentAt = performance.now();
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal,
    });
    const wait = pauseOf(response);
    if (wait === null || attempts >= MAX_ATTEMPTS) return { response, attempts, sentAt };
    await response.body?.cancel();
    await sleep(wait, undefined, { signal });
  }
}

/** A failed connection as the code and sentence of a record. */
export function connectionError(error: unknown): { code: string; message: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = (cause as NodeJS.ErrnoException | null)?.code;
  const message = cause instanceof Error ? cause.message : String(cause);
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') return { code: GONE, message };
  return { code: 'connection_lost', message: message || 'the connection was lost' };
}

export async function getJson(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<unknown> {
  try {
    const response = await fetch(url, { headers, signal });
    return await response.json();
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new CodedError('unavailable', `no service answers at ${url}: ${connectionError(cause).message}`, { cause });
  }
}

/** Milliseconds to wait before the next try; null when the service was not busy. A busy one without Retry-After gets one second. */
function pauseOf(response: Response): number | null {
  if (response.status !== 503) return null;
  const header = response.headers.get('retry-after');
  const seconds = header === null ? 1 : Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header ?? '') - Date.now();
  return Math.min(MAX_PAUSE_MS, Math.max(50, Number.isFinite(ms) ? ms : 1000));
}
