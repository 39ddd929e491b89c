/** A large file from the web whose content is known beforehand. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { CodedError } from '../service/contract.ts';

const orderSchema = z.object({
  MODEL_URL: z.string().regex(/^https?:\/\//),
  MODEL_SHA256: z.string().regex(/^[0-9a-f]{64}$/),
  MODEL_FILE: z.string().min(1),
});

export interface Order {
  url: string;
  sha256: string;
  /** Where it is to be. */
  file: string;
}

/** Throws `bad_config` naming the variable. */
export function orderFrom(env: Readonly<Record<string, string | undefined>>): Order {
  const parsed = orderSchema.safeParse(env);
  if (parsed.success) {
    return { url: parsed.data.MODEL_URL, sha256: parsed.data.MODEL_SHA256, file: parsed.data.MODEL_FILE };
  }
  const name = String(parsed.error.issues[0]?.path[0]);
  const wanted = { MODEL_URL: 'an http or https address', MODEL_SHA256: '64 hexadecimal digits in lower case' }[name];
  throw new CodedError(
    'bad_config',
    `${name} is ${JSON.stringify(env[name] ?? '')}; it must be ${wanted ?? 'a path'}.`,
  );
}

/** False when the right file was there already. */
export async function fetchFile(order: Order, onProgress: (done: number, total: number) => void): Promise<boolean> {
  const { url, file, sha256 } = order;
  if (existsSync(file) && (await hashOf(file)) === sha256) return false;
  await mkdir(dirname(file), { recursive: true });
  const part = `${file}.part`;
  await download(url, part, onProgress);
  const found = await hashOf(part);
  if (found !== sha256) {
    await rm(part, { force: true });
    throw new CodedError('unavailable', `${url} has the SHA-256 ${found}, not ${sha256}; it was thrown away.`);
  }
  await rename(part, file);
  return true;
}

async function download(url: string, part: string, onProgress: (done: number, total: number) => void): Promise<void> {
  const have = (await stat(part).catch(() => undefined))?.size ?? 0;
  const response = await fetch(url, { headers: have > 0 ? { range: `bytes=${have}-` } : {} }).catch(
    (cause: unknown) => {
      throw new CodedError('unavailable', `${url} cannot be reached.`, { cause });
    },
  );
  // The part is whole, or longer than the file: its hash tells.
  if (response.status === 416) return void (await response.body?.cancel());
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new CodedError('unavailable', `${url} answered with status ${response.status}.`);
  }
  const resumes = response.status === 206;
  let done = resumes ? have : 0;
  const total = done + Number(response.headers.get('content-length') ?? 0);
  const handle = await open(part, resumes ? 'a' : 'w');
  try {
    for await (const chunk of response.body) {
      await handle.write(chunk);
      done += chunk.length;
      onProgress(done, total);
    }
  } catch (cause) {
    throw new CodedError('unavailable', `The download of ${url} broke off; the next try goes on from there.`, {
      cause,
    });
  } finally {
    await handle.close();
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
