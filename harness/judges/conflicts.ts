/** Signs that a claim contradicts a text that shares its words: each is rare in faithful claims, so each lowers the score. */
import { stem, type Words } from './words.ts';

/** Opposites; a claim that has one of a pair where the text has only the other turns it round. */
const OPPOSITES = pairs(
  'before/after minimum/maximum min/max least/most more/less more/fewer greater/smaller greater/lower higher/lower above/below over/under ' +
    'increase/decrease rise/fall increase/reduce grow/shrink enable/disable allow/forbid allow/prevent allow/deny accept/reject include/exclude ' +
    'first/last earlier/later early/late start/end start/stop begin/end open/close open/closed opened/closed synchronous/asynchronous sync/async ' +
    'synchronously/asynchronously request/response client/server input/output incoming/outgoing inbound/outbound read/write add/remove parent/child ' +
    'success/failure succeed/fail always/never all/none some/all required/optional mandatory/optional must/may same/different equal/different public/private local/remote ' +
    'internal/external top/bottom left/right long/short longer/shorter fast/slow faster/slower old/new older/newer cheap/expensive hot/cold warm/cold true/false ' +
    'positive/negative ascending/descending upper/lower push/pull send/receive encode/decode serialize/parse on/off win/lose won/lost north/south east/west ' +
    'day/night morning/evening summer/winter buy/sell up/down inside/outside within/outside possible/impossible safe/unsafe valid/invalid',
);

/** Words that claim more than most texts say. */
const STRONG = new Set(
  'all every always never only must any entire whole complete completely guarantee guaranteed exclusively none everything everyone fully solely'.split(
    ' ',
  ),
);

/** Words whose opposite, and not themselves, stand in the text. */
export function oppositesIn(claim: Words, text: Words): number {
  const said = new Set(claim.plain.map(stem));
  const there = new Set(text.plain.map(stem));
  return lacking(said, there).filter((word) =>
    OPPOSITES.get(word)?.some((other) => there.has(other) && !said.has(other)),
  ).length;
}

/** Strong words the text does not have. */
export function overstatements(claim: Words, text: Words): number {
  return lacking(new Set(claim.plain), new Set(text.plain)).filter((word) => STRONG.has(word)).length;
}

/** One side denies something, the other nothing, and a word both have stands under the denial. */
export function turnsRound(claim: Words, text: Words): boolean {
  if (claim.denied.size > 0 === text.denied.size > 0) return false;
  const [denied, other] = claim.denied.size > 0 ? [claim.denied, text.stems] : [text.denied, claim.stems];
  return other.some((word) => denied.has(word));
}

function lacking(words: Set<string>, text: Set<string>): string[] {
  return [...words].filter((word) => !text.has(word));
}

function pairs(list: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const pair of list.split(' ')) {
    const [a = '', b = ''] = pair.split('/').map(stem);
    found.set(a, [...(found.get(a) ?? []), b]);
    found.set(b, [...(found.get(b) ?? []), a]);
  }
  return found;
}
