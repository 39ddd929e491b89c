/** The sources as plain text under an answer, for clients that show nothing but text. Pure. */
import type { Answer, Source } from '../contract.ts';
import { placeText, safeLink } from '../place.ts';

/** The sources cited; all that were used, where the answer cites none; empty for a refusal. */
export function footer(answer: Answer, sources: readonly Source[]): string {
  if (answer.refused) return '';
  const cited = sources.filter((source) => answer.citations.includes(source.n));
  const shown = cited.length > 0 ? cited : sources.filter((source) => source.used);
  if (shown.length === 0) return '';
  const title = cited.length > 0 ? 'Sources:' : 'Sources (the answer cites none of them):';
  return `\n\n${title}\n${shown.map((source) => `[${source.n}] ${labelOf(source)}`).join('\n')}`;
}

/** Name, heading, page or line; a link where there is one, as Markdown: what shows it plain shows the address. */
function labelOf(source: Source): string {
  const heading = source.heading.at(-1);
  const named = heading === undefined ? source.source : `${source.source} (${heading})`;
  const label = [named, placeText(source)].filter((part) => part !== '').join(', ');
  const link = safeLink(source);
  return link === undefined ? label : `[${label.replace(/[[\]\\]/g, '\\$&')}](${link})`;
}
