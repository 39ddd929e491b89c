/** JSON Lines: reading with errors that name line and field, and an append-only journal that survives kill -9. */
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { z } from 'zod';
import { CodedError } from '../service/contract.ts';

const SHOWN = 5;

export interface Line<T> {
  line: number;
  value: T;
}

/** Every line parsed; throws one `bad_input` that lists the first problems as `path:line: field: what is wrong`. */
export function parseJsonl<T extends z.ZodType>(text: string, schema: T, path: string): Line<z.infer<T>>[] {
  const good: Line<z.infer<T>>[] = [];
  const bad: string[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    if (raw.trim() === '') continue;
    const parsed = parseLine(raw, schema);
    if ('value' in parsed) good.push({ line: index + 1, value: parsed.value });
    else bad.push(`${path}:${index + 1}: ${parsed.problem}`);
  }
  if (bad.length > 0) throw new CodedError('bad_input', listProblems(bad));
  return good;
}

/** The first problems, one a line, and how many more there are. */
export function listProblems(problems: string[]): string {
  const more = problems.length > SHOWN ? `\n… and ${problems.length - SHOWN} more` : '';
  return problems.slice(0, SHOWN).join('\n') + more;
}

/** Reads a file for a person: a missing one is a sentence, not a stack trace. */
export function readText(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new CodedError('bad_input', `cannot read ${what} ${path}: it does not exist or is not readable`, { cause });
  }
}

/** The lines of a journal; a last line without its line feed was cut off by a crash and is left out. */
export function readJournal<T extends z.ZodType>(path: string, schema: T): Line<z.infer<T>>[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  return parseJsonl(text.slice(0, text.lastIndexOf('\n') + 1), schema, path);
}

export interface Journal<T> {
  /** On return the record is on disk. */
  append(record: T): void;
  close(): void;
}

/** Opens for appending; what a crash cut off is removed first, so that no record is glued to half of another. */
export function openJournal<T>(path: string): Journal<T> {
  const fd = openSync(path, existsSync(path) ? 'r+' : 'w+');
  const bytes = readFileSync(path);
  let end = bytes.lastIndexOf(0x0a) + 1;
  ftruncateSync(fd, end);
  return {
    append(record) {
      const data = Buffer.from(`${JSON.stringify(record)}\n`);
      writeSync(fd, data, 0, data.length, end);
      end += data.length;
      fsyncSync(fd);
    },
    close: () => closeSync(fd),
  };
}

/** One line by itself: for files that are read as a stream. */
export function parseLine<T extends z.ZodType>(raw: string, schema: T): { value: z.infer<T> } | { problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(raw);
  } catch (error) {
    return { problem: `not valid JSON (${error instanceof Error ? error.message : String(error)})` };
  }
  const result = schema.safeParse(json);
  if (result.success) return { value: result.data };
  return { problem: result.error.issues.map((issue) => `${fieldName(issue.path)}: ${issue.message}`).join('; ') };
}

function fieldName(path: PropertyKey[]): string {
  const name = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return name.replace(/^\./, '') || 'the whole line';
}
