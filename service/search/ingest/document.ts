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

export interface Document {
  title: string;
  /** Offsets of sections and blocks count its UTF-16 code units. */
  text: string;
  sections: Section[];
}

/** One format. `read` is pure and takes any text: what it cannot make sense of is a paragraph. */
export interface Reader {
  name: string;
  extensions: readonly string[];
  read(text: string): Document;
}
