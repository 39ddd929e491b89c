/** Where a person finds a passage: line or page, and a link when the index knows a base URL. */
import type { Passage } from '../contract.ts';

/** What the reader of a format knows; each format knows something else. All from 1. */
export interface Place {
  line?: number | undefined;
  page?: number | undefined;
  /** Id of the element that holds it, in HTML. */
  anchor?: string | undefined;
  /** Of a record that names its own page. */
  url?: string | undefined;
}

/** The fields of a passage made from its place as the index keeps it (JSON; null where nothing is known). */
export function placeFields(
  source: string,
  kept: string | null,
  baseUrl: string | undefined,
): Pick<Passage, 'line' | 'page' | 'url'> {
  const { line, page, anchor, url } = kept === null || kept === '' ? {} : (JSON.parse(kept) as Place);
  const link = url ?? linkOf(source, baseUrl, page === undefined ? anchor : `page=${page}`);
  return {
    ...(line === undefined ? {} : { line }),
    ...(page === undefined ? {} : { page }),
    ...(link === undefined ? {} : { url: link }),
  };
}

/** Base URL and source as one address; browsers open a PDF at `#page=3`. */
export function linkOf(source: string, baseUrl: string | undefined, fragment?: string): string | undefined {
  if (!baseUrl) return undefined;
  const path = source.split('/').map(encoded).join('/');
  const hash = fragment === undefined || fragment === '' ? '' : `#${encodeURI(fragment)}`;
  return `${baseUrl}${baseUrl.endsWith('/') ? '' : '/'}${path}${hash}`;
}

/** As the index keeps it. */
export function keptPlace(place: Place | undefined): string | null {
  return place === undefined || Object.keys(place).length === 0 ? null : JSON.stringify(place);
}

/** The link of a source as a whole; `kept` is the place of any of its passages. */
export function sourceUrl(source: string, kept: string | null, baseUrl: string | undefined): { url?: string } {
  const own = kept === null || kept === '' ? undefined : (JSON.parse(kept) as Place).url;
  const url = own ?? linkOf(source, baseUrl);
  return url === undefined ? {} : { url };
}

/** Parentheses too: they would end a link in Markdown. */
function encoded(part: string): string {
  return encodeURIComponent(part).replace(/[()]/g, (char) => (char === '(' ? '%28' : '%29'));
}
