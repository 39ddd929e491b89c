/** Bytes of a text file to text: by byte order mark, as UTF-8, as UTF-16, and as what an old editor would have written. */
import { Unreadable } from './document.ts';

/** Bytes looked at to guess an old encoding. */
const SAMPLE = 64 * 1024;

/** Throws Unreadable for what is no text. */
export async function decode(bytes: Uint8Array): Promise<string> {
  const mark = byteOrderMark(bytes) ?? utf16Without(bytes);
  if (mark !== undefined) return new TextDecoder(mark).decode(bytes);
  if (bytes.includes(0)) throw new Unreadable('is binary, not text');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return decodeOld(bytes);
  }
}

/** Decodes by the name of an encoding as HTML and chardet write them; undefined when there is none of that name. */
export function decodeAs(name: string | undefined, bytes: Uint8Array): string | undefined {
  const decoder = decoderOf(name);
  const text = decoder?.decode(bytes);
  // Some versions of Node decode windows-1252 as ISO 8859-1: the quotes and dashes of every Windows editor are lost.
  return decoder?.encoding === 'windows-1252'
    ? text?.replace(/[\u0080-\u009f]/g, (char) => WINDOWS_1252[char.charCodeAt(0) - 0x80] ?? char)
    : text;
}

const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

function decoderOf(name: string | undefined) {
  try {
    return name === undefined ? undefined : new TextDecoder(name);
  } catch {
    return undefined;
  }
}

export function byteOrderMark(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  return a === 0xff && b === 0xfe && !(c === 0 && bytes[3] === 0) ? 'utf-16le' : undefined;
}

/** Latin text in UTF-16 has a zero in nearly every second byte, always on the same side. */
function utf16Without(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const length = Math.min(bytes.length, SAMPLE) & ~1;
  if (length < 16 || bytes.length % 2 === 1) return undefined;
  const zeros = [0, 0];
  for (let at = 0; at < length; at++) if (bytes[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (odd > length * 0.35 && even < length * 0.02) return 'utf-16le';
  return even > length * 0.35 && odd < length * 0.02 ? 'utf-16be' : undefined;
}

async function decodeOld(bytes: Uint8Array): Promise<string> {
  const damaged = new TextDecoder('utf-8').decode(bytes);
  // Mostly good UTF-8 is UTF-8 with damage: a guess would spoil all the rest.
  const [bad, good] = [count(damaged, /\uFFFD/g), count(damaged, /[\u0080-\uFFFC]/g)];
  if (good > bad * 4) return damaged;
  const { default: chardet } = await import('chardet');
  const first = bytes.findIndex((byte) => byte >= 0x80);
  const sample = bytes.subarray(Math.max(0, first - 1000), first + SAMPLE);
  const [best] = chardet.analyse(sample);
  const isSure = best !== undefined && best.confidence >= 15 && best.name !== 'UTF-8';
  return decodeAs(isSure ? best.name : undefined, bytes) ?? decodeAs('windows-1252', bytes) ?? damaged;
}

function count(text: string, pattern: RegExp): number {
  let found = 0;
  for (const _ of text.matchAll(pattern)) found++;
  return found;
}
