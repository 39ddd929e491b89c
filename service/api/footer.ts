/** The sources as plain text under an answer, for clients that show nothing but text. Pure. */
import type { Answer, Source } from '../contract.ts';

/** The sources cited; all that were used, where the answer cites none; empty for a refusal. */
export function footer(answer: Answer, sources: readonly Source[]): string {
  if (answer.refused) return '';
  const cited = sources.filter((source) => answer.citations.includes(source.n));
  const shown = cited.length > 0 ? cited : sources.filter((source) => source.used);
  if (shown.length === 0) return '';
  const title = cited.length > 0 ? 'Sources:' : 'Sources (the answer cites none of them):';
  return `\n\n${title}\n${shown.map((source) => `[${source.n}] ${labelOf(source)}`).join('\n')}`;
}

function labelOf({ source, heading }: Source): string {
  const place = heading.at(-1);
  return place === undefined ? source : `${source} (${place})`;
}
