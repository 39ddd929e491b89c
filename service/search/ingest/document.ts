/** What a reader of any format hands on: one text, and its sections as ranges of that text. */

/** A piece that is kept whole when it fits: a paragraph, a list item, a table, a code block. */
export interface Block {
  kind: 'text' | 'item' | 'table' | 'code';
  start: number;
  end: number;
  /** Repeated in front of each piece when the block has to be split: a table's header rows, a code block's fence. */
  head?: string;
}

export interface Section {
  /** From the document's outermost heading inwards, as plain text. */
  heading: string[];
  blocks: Block[];
}

/** Something begins at this offset of the text. */
export interface Mark<T> {
  at: number;
  value: T;
}

export interface Document {
  title: string;
  /** Offsets of sections and blocks count its UTF-16 code units. */
  text: string;
  sections: Section[];
  /** True when the text is the file's own, so that its lines can be counted. */
  lined?: boolean;
  /** Where each page begins, and the id of each heading; ascending. */
  pages?: Mark<number>[];
  anchors?: Mark<string>[];
  /** One sentence each about what of the file could not be read. */
  warnings?: string[];
}

/** Why a file cannot be read, as the end of the sentence "FILE …". */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** Reads one format: pure, and made for any content. Throws Unreadable. `source` is the file's name in the index. */
export type Read = (bytes: Uint8Array, source: string) => Document | Promise<Document>;
/** The same for a format of text, already decoded. */
export type ReadText = (text: string, source: string) => Document;
