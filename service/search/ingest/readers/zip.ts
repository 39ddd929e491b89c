/** What a ZIP archive says it unpacks to, without unpacking anything. */

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const END_SIZE = 22;
const ENTRY_SIZE = 46;
const MAX_ENTRIES = 10_000;

/** Bytes of all entries together by the central directory; undefined when there is none. */
export function unpackedSize(zip: Buffer): number | undefined {
  const end = endOf(zip);
  if (end === undefined) return undefined;
  let at = zip.readUInt32LE(end + 16);
  let total = 0;
  for (let entry = 0; entry < Math.min(zip.readUInt16LE(end + 10), MAX_ENTRIES); entry++) {
    if (at + ENTRY_SIZE > zip.length || zip.readUInt32LE(at) !== ENTRY) return undefined;
    total += zip.readUInt32LE(at + 24);
    at += ENTRY_SIZE + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return total;
}

/** The end record lies behind everything else, before a comment of at most 64 KB. */
function endOf(zip: Buffer): number | undefined {
  if (zip.length < END_SIZE) return undefined;
  const first = Math.max(0, zip.length - END_SIZE - 0xffff);
  for (let at = zip.length - END_SIZE; at >= first; at--) if (zip.readUInt32LE(at) === END) return at;
  return undefined;
}
