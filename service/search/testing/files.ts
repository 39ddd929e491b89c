/** Real files of the packed formats, made by hand: what is in them is known to the byte, and no file comes from elsewhere. */
import { crc32, deflateRawSync } from 'node:zlib';

/** A ZIP archive; `claimed` is written as the unpacked size in place of the true one. */
export function zipOf(entries: Record<string, string | Buffer>, claimed?: number): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(entries)) {
    const raw = Buffer.from(content);
    const packed = deflateRawSync(raw);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(raw), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claimed ?? raw.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, rest, Buffer.from(name)]));
    parts.push(local);
    offset += local.length;
  }
  const size = directory.reduce((sum, entry) => sum + entry.length, 0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, ...directory, Buffer.from('PK\x05\x06'), end]);
}

/** A paragraph with its style, or the rows of a table. */
export type Part = [style: string, text: string] | string[][];

/** What Word needs to open a document, and no more. */
export function docxOf(parts: readonly Part[], claimed?: number): Buffer {
  const body = parts.map((part) => (isTable(part) ? table(part) : paragraph(part[1], part[0]))).join('');
  return docxWith(body, claimed);
}

export function docxWith(body: string, claimed?: number): Buffer {
  const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
  const styles = ['Title', 'heading 1', 'heading 2', 'heading 3'].map(
    (name) => `<w:style w:type="paragraph" w:styleId="${name.replace(' ', '')}"><w:name w:val="${name}"/></w:style>`,
  );
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  return zipOf(
    {
      '[Content_Types].xml': `${head}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
      '_rels/.rels': `${head}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${office}/officeDocument" Target="word/document.xml"/></Relationships>`,
      'word/_rels/document.xml.rels': `${head}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
      'word/styles.xml': `${head}<w:styles ${w}>${styles.join('')}</w:styles>`,
      'word/document.xml': `${head}<w:document ${w}><w:body>${body}</w:body></w:document>`,
    },
    claimed,
  );
}

function isTable(part: Part): part is string[][] {
  return Array.isArray(part[0]);
}

function paragraph(text: string, style = ''): string {
  const mark = style === '' ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${mark}<w:r><w:t xml:space="preserve">${escaped(text)}</w:t></w:r></w:p>`;
}

function table(rows: string[][]): string {
  const row = (cells: string[]) => `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`;
  return `<w:tbl>${rows.map(row).join('')}</w:tbl>`;
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Text at a place of a page: size in points, distances from the left and from the bottom. */
export interface Placed {
  text: string;
  size: number;
  x: number;
  y: number;
}

export interface PdfOptions {
  title?: string;
  /** Needs a password that nobody knows. */
  encrypted?: boolean;
  /** The tree of pages leads back to its root. */
  looping?: boolean;
}

/** A PDF with a page for each list, in Helvetica. */
export function pdfOf(pages: readonly Placed[][], { title, encrypted, looping }: PdfOptions = {}): Buffer {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '',
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
  ];
  const kids = pages.map((pieces) => {
    const draw = pieces
      .map(({ text, size, x, y }) => `BT /F1 ${size} Tf ${x} ${y} Td (${text.replace(/[()\\]/g, '\\$&')}) Tj ET`)
      .join('\n');
    objects.push(`<</Length ${Buffer.byteLength(draw, 'latin1')}>>\nstream\n${draw}\nendstream`);
    const content = objects.length;
    objects.push(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${content} 0 R/Resources<</Font<</F1 3 0 R>>>>>>`,
    );
    return `${objects.length} 0 R`;
  });
  objects[1] = `<</Type/Pages/Count ${kids.length}/Kids[${looping ? '2 0 R ' : ''}${kids.join(' ')}]>>`;
  let trailer = '/Root 1 0 R';
  if (title !== undefined) trailer += `/Info ${objects.push(`<</Title(${title})>>`)} 0 R`;
  if (encrypted) {
    const secret = 'ab'.repeat(32);
    trailer += `/ID[<${secret}><${secret}>]/Encrypt ${objects.push(`<</Filter/Standard/V 1/R 2/P -4/O<${secret}>/U<${secret}>>>`)} 0 R`;
  }
  return written(objects, trailer);
}

function written(objects: readonly string[], trailer: string): Buffer {
  let out = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = Buffer.byteLength(out, 'latin1');
    out += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const xref = Buffer.byteLength(out, 'latin1');
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  out += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<<${trailer}/Size ${objects.length + 1}>>\nstartxref\n${xref}\n%%EOF\n`;
  return Buffer.from(out, 'latin1');
}

/** Headings and paragraphs set as a word processor would: lines of 80 characters, pages of 40 lines. */
export function typeset(parts: readonly Part[]): Placed[][] {
  const sizes: Record<string, number> = { Title: 24, heading1: 20, heading2: 15, heading3: 13 };
  const pages: Placed[][] = [[]];
  let y = 720;
  const put = (pieces: Omit<Placed, 'y'>[], height: number) => {
    if (y - height < 72) {
      pages.push([]);
      y = 720;
    }
    y -= height;
    for (const piece of pieces) pages.at(-1)?.push({ ...piece, y });
  };
  for (const part of parts) {
    if (isTable(part)) {
      y -= 12;
      for (const row of part)
        put(
          row.map((text, at) => ({ text, size: 11, x: 72 + at * 170 })),
          14,
        );
      continue;
    }
    const [style, text] = part;
    const size = sizes[style] ?? 11;
    y -= size;
    for (const line of text.match(/.{1,80}(?:\s|$)/g) ?? []) put([{ text: line.trim(), size, x: 72 }], size * 1.25);
  }
  return pages;
}
