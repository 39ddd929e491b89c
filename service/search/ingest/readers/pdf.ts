/**
 * PDF: the text with its pages; headings by the size of their letters, paragraphs by the space between lines. A page
 * that is a picture of text has none: it is named, and the file is refused when no page has any.
 */
import { getDocumentProxy } from 'unpdf';
import { type Document, Unreadable } from '../document.ts';
import { createBuilder, oneLine } from './builder.ts';
import { createBlocks } from './pdf-blocks.ts';
import { isContents, type Line, linesOf, type TextItem, withoutRunning } from './pdf-lines.ts';

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Nothing is fetched, drawn or evaluated; what the library has to say about a font is of no use here. */
const SETTINGS = {
  verbosity: 0,
  isEvalSupported: false,
  disableFontFace: true,
  useSystemFonts: false,
  useWorkerFetch: false,
  enableXfa: false,
} as const;

export async function readPdf(bytes: Uint8Array): Promise<Document> {
  const pdf = await openPdf(bytes);
  const pages: Line[][] = [];
  const broken: number[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    const lines = await linesOfPage(pdf, number).catch(() => undefined);
    if (lines === undefined) broken.push(number);
    pages.push(lines ?? []);
  }
  const empty = pages.flatMap((lines, at) => (lines.length === 0 && !broken.includes(at + 1) ? [at + 1] : []));
  if (broken.length === pages.length) throw new Unreadable('is broken: none of its pages can be read');
  if (pages.every((lines) => lines.length === 0))
    throw new Unreadable(
      `has no text on its ${counted(pages.length)}: if it was scanned, run it through OCR first, for example ocrmypdf`,
    );
  const document = written(
    withoutRunning(pages).map((lines) => lines.filter((line) => !isContents(line))),
    await titleOf(pdf),
  );
  const warnings = [
    ...(broken.length > 0 ? [`${named(broken)} cannot be read`] : []),
    ...(empty.length > 0 ? [`${named(empty)} without text: blank, or scanned`] : []),
  ];
  return warnings.length > 0 ? { ...document, warnings } : document;
}

async function openPdf(bytes: Uint8Array): Promise<Pdf> {
  try {
    // The library takes the memory over: it gets a copy.
    return await getDocumentProxy(new Uint8Array(bytes), SETTINGS);
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'PasswordException')
      throw new Unreadable('is encrypted: remove its password first');
    throw new Unreadable(
      `is broken: no PDF that can be opened (${cause instanceof Error ? oneLine(cause.message).slice(0, 100) : ''})`,
    );
  }
}

async function linesOfPage(pdf: Pdf, number: number): Promise<Line[]> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  const [, bottom = 0, , top = 0] = page.view;
  return linesOf(
    items.filter((item): item is typeof item & TextItem => 'str' in item),
    bottom,
    top,
  );
}

function written(pages: Line[][], title: string): Document {
  const builder = createBuilder();
  const blocks = createBlocks(builder, pages.flat());
  pages.forEach((lines, at) => {
    if (lines.length > 0) blocks.page(at + 1, lines);
  });
  blocks.end();
  return builder.document(title);
}

/** What the file says it is called, unless that is the name of the file it was made from. */
async function titleOf(pdf: Pdf): Promise<string> {
  const metadata = await pdf.getMetadata().catch(() => undefined);
  const info: unknown = metadata?.info;
  const title = typeof info === 'object' && info !== null && 'Title' in info ? oneLine(String(info.Title ?? '')) : '';
  return /^(?:untitled|microsoft word|about:|https?:|file:)|\.\w{2,5}$/i.test(title) ? '' : title.slice(0, 200);
}

function named(pages: number[]): string {
  const shown = pages.slice(0, 10).join(', ') + (pages.length > 10 ? ` and ${pages.length - 10} more` : '');
  return `page${pages.length === 1 ? '' : 's'} ${shown}`;
}

function counted(pages: number): string {
  return pages === 1 ? 'only page' : `${pages} pages`;
}
