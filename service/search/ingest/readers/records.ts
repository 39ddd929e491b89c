/** JSONL: each line a record `{id, title, text}`, which becomes a source named by its id. Read line by line, whatever the size. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { Unreadable } from '../document.ts';

/** A record as JSONL holds it: becomes one source named by its id. */
export interface TextRecord {
  id: string;
  title: string;
  text: string;
  /** Where a person can open it. */
  url?: string | undefined;
}

/** Longest line; what is longer is no record for people, and must not be held in memory. */
const MAX_LINE = 4 * 1024 * 1024;

const recordSchema = z.object({
  id: z.union([z.string().trim().min(1), z.number().transform(String)]),
  title: z
    .string()
    .nullish()
    .transform((title) => title ?? ''),
  text: z.string(),
  url: z.string().optional().catch(undefined),
});

/** A record, or what is wrong with the line. */
export type RecordLine = { line: number } & ({ record: TextRecord } | { problem: string });

/** Throws Unreadable where a line has no end, for nothing behind it can be read. */
export async function* readRecords(path: string): AsyncGenerator<RecordLine> {
  let number = 0;
  for await (const text of linesOf(path)) {
    number++;
    if (text.trim() !== '') yield { line: number, ...recordOf(text) };
  }
}

function recordOf(line: string): { record: TextRecord } | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { problem: 'is no JSON' };
  }
  const parsed = recordSchema.safeParse(value);
  if (!parsed.success) return { problem: 'has no id, or no text' };
  const { url, ...record } = parsed.data;
  if (/[\p{Cc}\u2028\u2029]/u.test(record.id) || record.id.length > 500)
    return { problem: 'has an id with a control character, or of more than 500 characters' };
  return { record: { ...record, ...(url !== undefined && /^https?:\/\/[^\s]+$/i.test(url) ? { url } : {}) } };
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!(await file.stat()).isFile()) throw new Unreadable('is not a regular file');
    const decoder = new TextDecoder('utf-8');
    let rest = '';
    for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: 256 * 1024 })) {
      const lines = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
      if (rest.length > MAX_LINE) throw new Unreadable(`has a line longer than ${MAX_LINE / 1024 / 1024} MB`);
    }
    rest += decoder.decode();
    if (rest !== '') yield rest;
  } finally {
    await file.close();
  }
}
