/** Cases: reading them with errors that name line and field, and their hash. */
import { CodedError } from '../service/contract.ts';
import { hashOf } from './hash.ts';
import { listProblems, parseJsonl, readText } from './jsonl.ts';
import { type Case, caseSchema } from './schema.ts';

/** Reads a JSONL file of cases; throws `bad_input` naming `path:line: field`. */
export function loadCases(path: string): Case[] {
  return parseCases(readText(path, 'the cases file'), path);
}

export function parseCases(text: string, path: string): Case[] {
  const lines = parseJsonl(text, caseSchema, path);
  if (lines.length === 0) throw new CodedError('bad_input', `${path} holds no case; write one JSON object a line`);
  const first = new Map<string, number>();
  const twice: string[] = [];
  for (const { line, value } of lines) {
    const earlier = first.get(value.id);
    if (earlier === undefined) first.set(value.id, line);
    else twice.push(`${path}:${line}: id: "${value.id}" stands in line ${earlier} already`);
  }
  if (twice.length > 0) throw new CodedError('bad_input', listProblems(twice));
  return lines.map((item) => item.value);
}

/** Changes with anything that is asked or expected of a case; remarks (`note`, `tags`) do not count. */
export function caseHash(item: Case): string {
  const { note: _note, tags: _tags, ...asked } = item;
  return hashOf(asked);
}

/** Hash of a set of cases, whatever their order. */
export function casesHash(cases: Case[]): string {
  return hashOf(cases.map((item) => [item.id, caseHash(item)]).sort());
}

/** What differs between the cases that were asked and those that are there now. */
export function diffCases(asked: Case[], now: Case[]): { added: string[]; edited: string[]; removed: string[] } {
  const before = new Map(asked.map((item) => [item.id, caseHash(item)]));
  const after = new Map(now.map((item) => [item.id, caseHash(item)]));
  const ids = (from: Map<string, string>, keep: (id: string) => boolean) => [...from.keys()].filter(keep).sort();
  return {
    added: ids(after, (id) => !before.has(id)),
    edited: ids(after, (id) => before.has(id) && before.get(id) !== after.get(id)),
    removed: ids(before, (id) => !after.has(id)),
  };
}
