/** Where a passage stands, in words, and its link when a browser may follow it. Pure. */
import type { Passage } from './contract.ts';

/** "page 3", "line 21", or nothing. */
export function placeText({ page, line }: Passage): string {
  if (page !== undefined) return `page ${page}`;
  return line === undefined ? '' : `line ${line}`;
}

/** The link, with nothing in it that could end a link in Markdown; undefined for anything but http and https. */
export function safeLink({ url }: Passage): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return undefined;
  return parsed.href.replace(/[()<>\s[\]]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
