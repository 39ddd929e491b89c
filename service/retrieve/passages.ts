/** Reads what `crag_search` returns: typed data where the server gives it, else the text format of the contract. */
import { CodedError, type Passage, type SearchResult, searchResultSchema } from '../contract.ts';

/** An MCP tool result: `content`, `structuredContent` and `isError` are read here. */
export type ToolResult = Readonly<Record<string, unknown>>;

export interface Retrieved extends Omit<SearchResult, 'mode'> {
  mode: SearchResult['mode'] | 'unknown';
  /** True when the server gave typed data, with what its gate held back. */
  typed: boolean;
}

/** Throws `retrieval_failed` for `isError` and for a result that is neither passages nor a note. */
export function readSearchResult(result: ToolResult): Retrieved {
  const texts = textItems(result.content);
  if (result.isError === true) {
    throw new CodedError('retrieval_failed', 'The retrieval server reported a failure.', {
      cause: new Error(texts.join('\n').slice(0, 500)),
    });
  }
  const parsed = searchResultSchema.safeParse(result.structuredContent);
  if (parsed.success) return { ...parsed.data, typed: true };
  const passages = texts.flatMap((text) => parsePassage(text) ?? []);
  const note = texts.find((text) => /^\(.*\)\s*$/s.test(text)) ?? null;
  if (passages.length === 0 && texts.length > 0 && note === null) {
    throw new CodedError('retrieval_failed', 'The retrieval server answered in a form that is not the contract.', {
      cause: new Error(`first item: ${texts[0]?.slice(0, 200)}`),
    });
  }
  return { passages, below_gate: [], mode: 'unknown', note, typed: false };
}

/** `[cos 0.612  bm25 8.40  fusion 0.033] path/to/source.md`, then the body; undefined when the text is no passage. */
export function parsePassage(text: string): Passage | undefined {
  const header = /^\s*\[([^\]\n]*)\][ \t]+([^\n]*\S)[ \t]*(?:\r?\n|$)/.exec(text);
  const source = header?.[2];
  if (header === null || source === undefined || !/\b(?:cos|bm25|fusion)\b/.test(header[1] ?? '')) return undefined;
  const scores = new Map(
    [...(header[1] ?? '').matchAll(/([a-z]\w*)\s+(\S+)/gi)].map(([, name, value]) => [name, toNumber(value)]),
  );
  return {
    source,
    title: '',
    heading: [],
    start: null,
    end: null,
    cosine: scores.get('cos') ?? null,
    bm25: scores.get('bm25') ?? null,
    fusion: scores.get('fusion') ?? null,
    text: text.slice(header[0].length).trim(),
  };
}

/** `crag_stats`: lines of `name: value`. */
export function parseStats(result: ToolResult): Record<string, string> {
  const lines = textItems(result.content).join('\n').split('\n');
  return Object.fromEntries(
    lines.flatMap((line) => {
      const match = /^\s*([\w .-]+?):\s*(.*?)\s*$/.exec(line);
      return match?.[1] === undefined ? [] : [[match[1], match[2] ?? '']];
    }),
  );
}

function textItems(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((item: unknown) =>
    typeof item === 'object' && item !== null && 'type' in item && item.type === 'text' && 'text' in item
      ? [String(item.text)]
      : [],
  );
}

function toNumber(value: string | undefined): number | null {
  const number = Number(value);
  return value === undefined || Number.isNaN(number) ? null : number;
}
