/** DOCX: made HTML by mammoth, and read as that. Word keeps no page numbers in the file: they come when it is drawn. */
import mammoth from 'mammoth';
import { type Document, Unreadable } from '../document.ts';
import { readHtmlText } from './html.ts';
import { unpackedSize } from './zip.ts';

/** A document of a thousand pages has about 10 MB of text with its markup. */
const MAX_UNPACKED = 200 * 1024 * 1024;

/** What mammoth does not know by itself. */
const STYLES = [
  "p[style-name='Title'] => h1.title:fresh",
  "p[style-name='Subtitle'] => p:fresh",
  "p[style-name='Code'] => pre:separator('\n')",
  "p[style-name='Source Code'] => pre:separator('\n')",
  "p[style-name='HTML Preformatted'] => pre:separator('\n')",
];

export async function readDocx(bytes: Uint8Array): Promise<Document> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length >= 4 && buffer.readUInt32BE(0) === 0xd0cf11e0)
    throw new Unreadable('is encrypted, or in the older format .doc: save it as .docx without a password');
  const unpacked = unpackedSize(buffer);
  if (unpacked === undefined) throw new Unreadable('is broken: no ZIP archive, as a DOCX file has to be');
  if (unpacked > MAX_UNPACKED) throw new Unreadable(`unpacks to more than ${MAX_UNPACKED / 1024 / 1024} MB`);
  const ignoreImages = mammoth.images.imgElement(async () => ({ src: '' }));
  const { value } = await mammoth.convertToHtml({ buffer }, { styleMap: STYLES, convertImage: ignoreImages });
  const document = readHtmlText(belowTitle(value));
  // Its ids are of the conversion: no program opens the file at them.
  const { anchors: _, ...rest } = document;
  return rest;
}

/** Where a title stands above all, the headings go one level down, as they do in Markdown. */
function belowTitle(html: string): string {
  if (!html.includes('<h1 class="title">')) return html;
  return html.replace(/<h([1-5])>(.*?)<\/h\1>/gs, (_, level: string, text: string) => {
    const below = Number(level) + 1;
    return `<h${below}>${text}</h${below}>`;
  });
}
