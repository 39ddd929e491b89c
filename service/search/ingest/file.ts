/** Reads a whole file that may be anything: bounded, never waiting for a pipe, and never half of one that is being written. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Unreadable } from './document.ts';

/** A file that is being written is tried again: most are whole a moment later. */
const TRIES = 3;
const PAUSE_MS = 60;

/** The file changed each time it was read. It is not broken: what the index has of it may stay. */
export class Changing extends Unreadable {}

/** Throws Unreadable with the reason. */
export async function readWhole(path: string, maxBytes: number): Promise<Buffer> {
  for (let tried = 1; ; tried++) {
    const bytes = await readOnce(path, maxBytes);
    if (bytes !== undefined) return bytes;
    if (tried === TRIES) throw new Changing('changed while it was read; the next run takes it');
    await sleep(PAUSE_MS);
  }
}

/** What is larger than this is data; said in the words people use. */
export function tooLarge(maxBytes: number): Unreadable {
  return new Unreadable(`larger than ${maxBytes / 1024 / 1024} MB`);
}

async function readOnce(path: string, maxBytes: number): Promise<Buffer | undefined> {
  const file = await opened(path);
  try {
    const before = await file.stat({ bigint: true });
    if (!before.isFile()) throw new Unreadable('is not a regular file');
    if (before.size > maxBytes) throw tooLarge(maxBytes);
    const bytes = await fill(file, Number(before.size));
    const after = await file.stat({ bigint: true });
    return bytes !== undefined && after.mtimeNs === before.mtimeNs && after.size === before.size ? bytes : undefined;
  } catch (cause) {
    throw cause instanceof Unreadable ? cause : unreadable(cause);
  } finally {
    await file.close();
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    // Without O_NONBLOCK opening a named pipe waits for someone who writes into it.
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    throw unreadable(cause);
  }
}

/** Exactly `size` bytes, or undefined when the file has more or less by now. */
async function fill(file: FileHandle, size: number): Promise<Buffer | undefined> {
  const buffer = Buffer.allocUnsafe(size + 1);
  let filled = 0;
  while (filled <= size) {
    const { bytesRead } = await file.read(buffer, filled, size + 1 - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled === size ? buffer.subarray(0, size) : undefined;
}

function unreadable(cause: unknown): Unreadable {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
  return new Unreadable(`cannot be read (${code})`);
}
