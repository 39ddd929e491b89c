/** Which reader takes which file. A new format is one more file and one more line here. */
import type { Reader } from './document.ts';
import { markdownReader } from './markdown.ts';
import { plainReader } from './plain.ts';

const READERS: readonly Reader[] = [markdownReader, plainReader];

export const KNOWN_EXTENSIONS: readonly string[] = READERS.flatMap((reader) => reader.extensions);

export function readerFor(path: string): Reader | undefined {
  const extension = /\.[^./\\]+$/.exec(path)?.[0].toLowerCase() ?? '';
  return READERS.find((reader) => reader.extensions.includes(extension));
}
