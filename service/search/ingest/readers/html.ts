/** HTML: the main content with its headings, lists, tables and code; menus, banners, scripts and what is hidden are left out. */
import { Parser } from 'htmlparser2';
import type { Document } from '../document.ts';
import { byteOrderMark, decode, decodeAs } from '../encoding.ts';
import { createBuilder, oneLine } from './builder.ts';
import { isDropped, isMain, type Survey, surveyOf } from './html-parts.ts';
import { createHtmlWriter, type HtmlWriter } from './html-writer.ts';

export async function readHtml(bytes: Uint8Array): Promise<Document> {
  return readHtmlText(await decodeHtml(bytes));
}

/** The content of `<main>` or of the only `<article>`, where that is more than a fragment of the page; else all of it. */
export function readHtmlText(html: string): Document {
  const survey = surveyOf(html);
  const whole = extract(html, survey, false);
  const main = survey.hasMain ? extract(html, survey, true) : undefined;
  return main !== undefined && main.text !== '' && main.text.length * 5 >= whole.text.length ? main : whole;
}

/** A byte order mark, what the page says of itself, else a guess. */
async function decodeHtml(bytes: Uint8Array): Promise<string> {
  if (byteOrderMark(bytes) !== undefined) return decode(bytes);
  const start = Buffer.from(bytes.subarray(0, 4096)).toString('latin1');
  const named =
    /<meta\b[^>]{0,300}?charset\s*=\s*["']?\s*([\w:.-]{1,40})/i.exec(start)?.[1] ??
    /^\s*<\?xml\b[^>]{0,100}?encoding\s*=\s*["']([\w:.-]{1,40})/i.exec(start)?.[1];
  // Read as ASCII it cannot be UTF-16, whatever it says; and UTF-8 is what decode tries first.
  if (named === undefined || /^utf/i.test(named) || bytes.includes(0)) return decode(bytes);
  return decodeAs(named, bytes) ?? decode(bytes);
}

/** Elements without content never close. */
const VOID = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr',
]);

function extract(html: string, survey: Survey, mainOnly: boolean): Document {
  const builder = createBuilder();
  const writer = createHtmlWriter(builder, survey.layoutTables);
  const page = createPage(writer, mainOnly);
  const parser = new Parser(
    { onopentag: page.open, onclosetag: page.close, ontext: page.text },
    { decodeEntities: true, lowerCaseTags: true, recognizeSelfClosing: false },
  );
  parser.write(html);
  parser.end();
  writer.flush();
  const document = builder.document();
  return { ...document, title: document.title || oneLine(page.title()).slice(0, 200) };
}

/** Follows which elements are open: what is dropped, whether the main content has begun, and the page's own title. */
function createPage(writer: HtmlWriter, mainOnly: boolean) {
  let depth = 0;
  let droppedAt = 0;
  let mainAt = 0;
  let inTitle = false;
  let title = '';
  const isRead = () => droppedAt === 0 && (!mainOnly || mainAt > 0);
  return {
    title: () => title,
    open(name: string, attributes: Record<string, string>) {
      if (!VOID.has(name)) depth++;
      if (name === 'title' && title === '') inTitle = true;
      if (mainOnly && mainAt === 0 && isMain(name, attributes)) mainAt = depth;
      if (droppedAt === 0 && isDropped(name, attributes, mainAt > 0) && !VOID.has(name)) droppedAt = depth;
      if (isRead()) writer.open(name, attributes);
    },
    close(name: string) {
      inTitle = false;
      if (isRead()) writer.close(name);
      if (VOID.has(name)) return;
      if (depth === droppedAt) droppedAt = 0;
      if (depth === mainAt) {
        writer.flush();
        mainAt = 0;
      }
      depth--;
    },
    text(text: string) {
      if (inTitle) title += text;
      if (isRead()) writer.text(text);
    },
  };
}
