/** What `askdocs index` says at its end. */
import type { IndexSummary } from '../service/search/ingest/index.ts';

/** Files named one by one; all of them are in --format json. */
const MAX_NAMED = 20;

export function summaryText(summary: IndexSummary, note: string | null): string {
  const { skipped, warnings } = summary;
  return [
    firstLine(summary),
    ...formatsLine(summary),
    ...named(warnings, 'read in part'),
    ...named(skipped, 'skipped'),
    ...leftOutLine(summary),
    ...(note === null ? [] : [`  Searched by words alone: ${note}`]),
  ].join('\n');
}

function firstLine({ files, passages, added, changed, removed, db, ms }: IndexSummary): string {
  const changes = [`${added} new`, `${changed} changed`, `${removed} removed`].filter((part) => !part.startsWith('0 '));
  const now = `${count(files, 'file')}, ${count(passages, 'passage')} in ${db}`;
  return changes.length === 0
    ? `Nothing changed: ${now}.`
    : `Indexed ${changes.join(', ')}: now ${now}, after ${(ms / 1000).toFixed(1)} s.`;
}

/** Only where there is more than one: that all files are Markdown needs no line. */
function formatsLine({ formats }: IndexSummary): string[] {
  const sorted = Object.entries(formats).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return sorted.length < 2 ? [] : [`  formats: ${sorted.map(([name, files]) => `${files} ${name}`).join(', ')}`];
}

function named(list: readonly { source: string; reason: string }[], what: string): string[] {
  const lines = list.slice(0, MAX_NAMED).map(({ source, reason }) => `  ${what} ${source}: ${reason}`);
  const more = list.length - MAX_NAMED;
  return more > 0 ? [...lines, `  ${what}: ${more} more, all in --format json`] : lines;
}

function leftOutLine({ ignored, left_out }: IndexSummary): string[] {
  const parts = Object.entries(left_out).map(([reason, files]) => `${files} ${reason}`);
  if (ignored > 0) parts.push(`${ignored} of other formats`);
  return parts.length === 0 ? [] : [`  left out: ${parts.join(', ')}`];
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
