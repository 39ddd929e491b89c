/**
 * Source code, cut where functions, classes and types begin. The patterns know how declarations look at the start of a
 * line, not the grammar: a cut missed makes a longer passage, a wrong one a shorter, and no line is lost either way.
 */
import type { Document } from '../document.ts';
import { createOutline, indentOf, isBlank } from './outline.ts';

const MODIFIERS =
  '(?:(?:export|default|declare|pub(?:\\([\\w: ]+\\))?|public|private|protected|internal|static|abstract|final|sealed|open|override|virtual|async|unsafe|extern(?:\\s+"[^"]*")?|inline|const|data|partial|readonly|suspend|local)\\s+)*';
const KEYWORDS =
  'function\\*?|class|interface|enum|struct|trait|impl|type|namespace|module|mod|record|object|protocol|extension|union|fn|func|fun|def|defp|defmodule|defmacro|sub|macro_rules!|message|service|actor|typedef';
/** `export async function name`, `pub fn name`, `class Name`, `def name`, `func (r *T) Name`. */
const DECLARATION = new RegExp(
  `^\\s*${MODIFIERS}(?:${KEYWORDS})\\s+(?:<[^>]{0,80}>\\s*)?(?:\\([^)]{0,80}\\)\\s*)?(?<name>[\\w$.]+(?:::[\\w$]+)*)`,
);
/** `const name = (…) =>`, `name = function`, `name() {` of shells. */
const ASSIGNED =
  /^\s*(?:export\s+)?(?:(?:const|let|var)\s+(?<name>[\w$]+)[^=]{0,200}=\s*(?:async\s*)?(?:function\b|\([^)]{0,300}\)[^=]{0,100}=>|[\w$]+\s*=>)|(?<shell>[\w-]+)\s*\(\)\s*\{)/;
/** A method or a C function: a name with arguments at the end of which a body opens; no statement looks so. */
const METHOD =
  /^\s*(?!(?:if|for|while|switch|catch|return|else|do|new|throw|await|using|lock|match|with)\b)(?:[\w<>[\],*&?:~.@]+\s+){0,5}[*&]?(?<name>[~\w$#]+(?:::[~\w]+)?)\s*\([^;{}]{0,300}\)?[^;{}=]{0,100}\{?\s*$/;
const SQL =
  /^\s*create\s+(?:or\s+replace\s+)?(?:temporary\s+|unique\s+|materialized\s+)?(?:table|view|function|procedure|trigger|index|type)\s+(?:if\s+not\s+exists\s+)?(?<name>[\w."`[\]]+)/i;
/** What belongs to the declaration below it. */
const ABOVE = /^\s*(?:\/\/|\/\*|\*|#|--|@|\[|"""|'''|%)/;
const MAX_LINE = 1000;

export function readCode(text: string, source: string): Document {
  const outline = createOutline(text);
  const { lines } = outline;
  const title = source.replace(/^.*\//, '');
  let from = 0;
  let inside: { name: string; indent: number } | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]?.text ?? '';
    const found = declared(line, inside?.indent);
    if (found === undefined) continue;
    const first = withComment(lines, at, from);
    pushParts(outline, from, first - 1);
    from = first;
    if (inside !== undefined && found.indent <= inside.indent) inside = undefined;
    outline.enter(inside === undefined ? 1 : 2, found.name);
    if (inside === undefined && found.holds) inside = found;
  }
  pushParts(outline, from, lines.length - 1);
  return outline.document(title);
}

interface Declared {
  name: string;
  indent: number;
  /** Whether what is declared has members of its own. */
  holds: boolean;
}

/** What a line declares, when it is of the outermost level or a member of what is open. */
function declared(line: string, openIndent: number | undefined): Declared | undefined {
  if (line.length > MAX_LINE || isBlank(line)) return undefined;
  const indent = indentOf(line);
  const isMember =
    openIndent !== undefined && indent > openIndent && indent <= openIndent + (line.startsWith('\t') ? 1 : 4);
  if (indent > 0 && !isMember) return undefined;
  const groups = (
    DECLARATION.exec(line) ??
    ASSIGNED.exec(line) ??
    SQL.exec(line) ??
    (/[{)]\s*$/.test(line) ? METHOD.exec(line) : null)
  )?.groups;
  const name = groups?.name ?? groups?.shell;
  if (name === undefined) return undefined;
  return {
    name,
    indent,
    holds:
      /\b(?:class|interface|trait|impl|namespace|module|mod|object|extension|struct|defmodule|protocol|actor)\s/.test(
        line,
      ),
  };
}

/** The comment and the decorators right above a declaration go with it. */
function withComment(lines: readonly { text: string }[], at: number, from: number): number {
  let first = at;
  while (first > from && at - first < 60 && ABOVE.test(lines[first - 1]?.text.slice(0, 100) ?? '')) first--;
  return first;
}

/** Divided by blank lines, so that a long function is cut between its steps. */
function pushParts(outline: ReturnType<typeof createOutline>, from: number, to: number): void {
  let first = from;
  for (let at = from; at <= to; at++) {
    if (!isBlank(outline.lines[at]?.text)) continue;
    if (at > first) outline.push('code', first, at - 1);
    first = at + 1;
  }
  if (first <= to) outline.push('code', first, to);
}
