/** Which reader takes which file. A new format is one more file and one more entry here; its parts are loaded when a file needs them. */
import type { Read, ReadText } from './document.ts';
import { decode } from './encoding.ts';
import { CODE_EXTENSIONS } from './readers/code-extensions.ts';

export interface Format {
  /** As people call it. */
  name: string;
  extensions: readonly string[];
  /** Raised when the reader makes another text of the same file: what it read before is read again. */
  version: number;
  /** Larger files are data, not documents. */
  maxBytes: number;
  /** True for foreign parsers: always read in a process of their own, which can be ended. */
  apart: boolean;
  load(): Promise<Read>;
}

const MB = 1024 * 1024;
const TEXT = { version: 0, maxBytes: 20 * MB, apart: false } as const;

/** How large the packed formats may be: pictures make most of them. */
const PACKED = { version: 1, maxBytes: 200 * MB, apart: true } as const;

export const FORMATS: readonly Format[] = [
  {
    ...TEXT,
    name: 'Markdown',
    extensions: ['.md', '.markdown', '.mkd'],
    load: async () => text((await import('./readers/markdown.ts')).readMarkdown),
  },
  {
    ...TEXT,
    name: 'MDX',
    extensions: ['.mdx'],
    version: 1,
    load: async () => text((await import('./readers/markdown.ts')).readMdx),
  },
  {
    ...TEXT,
    name: 'plain text',
    extensions: ['.txt', '.text'],
    load: async () => text((await import('./readers/plain.ts')).readPlain),
  },
  {
    ...TEXT,
    name: 'HTML',
    extensions: ['.html', '.htm', '.xhtml'],
    version: 1,
    load: async () => (await import('./readers/html.ts')).readHtml,
  },
  { ...PACKED, name: 'PDF', extensions: ['.pdf'], load: async () => (await import('./readers/pdf.ts')).readPdf },
  { ...PACKED, name: 'DOCX', extensions: ['.docx'], load: async () => (await import('./readers/docx.ts')).readDocx },
  {
    ...TEXT,
    name: 'reStructuredText',
    extensions: ['.rst'],
    version: 1,
    load: async () => text((await import('./readers/rst.ts')).readRst),
  },
  {
    ...TEXT,
    name: 'AsciiDoc',
    extensions: ['.adoc', '.asciidoc'],
    version: 1,
    load: async () => text((await import('./readers/asciidoc.ts')).readAsciiDoc),
  },
  {
    ...TEXT,
    name: 'Jupyter notebook',
    extensions: ['.ipynb'],
    version: 1,
    load: async () => text((await import('./readers/notebook.ts')).readNotebook),
  },
  {
    ...TEXT,
    name: 'source code',
    extensions: CODE_EXTENSIONS,
    version: 1,
    maxBytes: 2 * MB,
    load: async () => text((await import('./readers/code.ts')).readCode),
  },
];

const RECORDS = ['.jsonl', '.ndjson'];

export const KNOWN_EXTENSIONS: readonly string[] = [...FORMATS.flatMap((format) => format.extensions), ...RECORDS];

export function formatOf(path: string): Format | undefined {
  const extension = extensionOf(path);
  return FORMATS.find((format) => format.extensions.includes(extension));
}

export function formatNamed(name: string): Format | undefined {
  return FORMATS.find((format) => format.name === name);
}

/** Records are sources of their own, not parts of a document. */
export function holdsRecords(path: string): boolean {
  return RECORDS.includes(extensionOf(path));
}

export function extensionOf(path: string): string {
  return /\.[^./\\]+$/.exec(path)?.[0].toLowerCase() ?? '';
}

function text(read: ReadText): Read {
  return async (bytes, source) => read(await decode(bytes), source);
}
