/** Signs that a claim contradicts a text that shares its words: each is rare in faithful claims, so each lowers the score. */
import { stem } from './stem.ts';
import type { Token } from './tokens.ts';

/** Opposites; a claim that has one of a pair where the text has only the other turns it round. */
const OPPOSITES = pairs(
  'before/after minimum/maximum min/max least/most more/less more/fewer greater/smaller greater/lower higher/lower above/below over/under ' +
    'increase/decrease rise/fall increase/reduce grow/shrink enable/disable allow/forbid allow/prevent allow/deny accept/reject include/exclude ' +
    'first/last earlier/later early/late start/end start/stop begin/end open/close open/closed opened/closed synchronous/asynchronous sync/async ' +
    'synchronously/asynchronously request/response client/server input/output incoming/outgoing inbound/outbound read/write add/remove parent/child ' +
    'success/failure succeed/fail always/never all/none some/all required/optional mandatory/optional must/may same/different equal/different public/private local/remote ' +
    'internal/external top/bottom left/right long/short longer/shorter fast/slow faster/slower old/new older/newer cheap/expensive hot/cold warm/cold true/false ' +
    'positive/negative sit/stand strong/weak rich/poor happy/sad young/old big/small large/small wet/dry full/empty dead/alive import/export hire/fire victory/defeat gain/lose profit/loss guilty/innocent legal/illegal approve/reject support/oppose confirm/deny agree/disagree love/hate major/minor majority/minority ascending/descending upper/lower push/pull send/receive encode/decode serialize/parse on/off win/lose won/lost north/south east/west ' +
    'day/night morning/evening summer/winter buy/sell up/down inside/outside within/outside possible/impossible safe/unsafe valid/invalid',
);

/** Of each of these kinds a thing is usually one: a claim with another one than the text contradicts it. */
const KINDS = (
  'first second third fourth fifth sixth seventh eighth ninth tenth|' +
  'red orange yellow green blue purple violet pink brown black white grey gray|monday tuesday wednesday thursday friday saturday sunday|' +
  'january february march april june july august september october november december|spring summer autumn winter|north south east west|' +
  'northern southern eastern western|man woman boy girl|men women boys girls|male female|he she|his her|father mother brother sister son daughter uncle aunt|' +
  'husband wife|king queen|sit stand lie walk run jump sleep swim|sitting standing lying walking running jumping sleeping swimming|' +
  'hourly daily weekly monthly yearly annually|minute hour day week month year decade century|gold silver bronze|' +
  'one both many several few none|single married divorced|mayor president minister governor senator|football baseball basketball tennis hockey cricket golf rugby'
)
  .split('|')
  .map((kind) => new Set(kind.split(' ')));

/** Words that claim more than most texts say. */
const STRONG = new Set(
  'all every always never only must any entire whole complete completely guarantee guaranteed exclusively none everything everyone fully solely'.split(
    ' ',
  ),
);

/** What limits a statement as strong words do. */
const LIMITS = new Set(
  'each per except unless until without no not nothing nobody both just alone need needs required'.split(' '),
);

const NEGATIONS = new Set(
  'not no never neither nor none without nothing nobody unable fail failed refuse refused'.split(' '),
);

/** Words whose opposite, and not themselves, stand in the text. */
export function oppositesIn(claim: readonly Token[], text: readonly Token[]): number {
  const said = new Set(claim.map((token) => token.stem));
  const there = new Set(text.map((token) => token.stem));
  return [...said].filter(
    (word) => !there.has(word) && OPPOSITES.get(word)?.some((other) => there.has(other) && !said.has(other)),
  ).length;
}

/** Words of a kind of which the text has another member, and not this one. */
export function exchangedKinds(claim: readonly Token[], text: readonly Token[]): number {
  const said = new Set(claim.map((token) => token.text));
  const there = new Set(text.map((token) => token.text));
  let found = 0;
  for (const kind of KINDS) {
    const only = [...said].filter((word) => kind.has(word) && !there.has(word)).length;
    const instead = [...there].filter((word) => kind.has(word) && !said.has(word)).length;
    found += Math.min(only, instead);
  }
  return found;
}

/** Strong words of the claim; none where the text has a strong or limiting word of its own: `until` may well be said by `only`. */
export function overstatements(claim: readonly Token[], text: readonly Token[]): number {
  if (text.some((token) => STRONG.has(token.text) || LIMITS.has(token.text))) return 0;
  return new Set(claim.filter((token) => STRONG.has(token.text)).map((token) => token.text)).size;
}

/** A word stands right behind a denial on one side, and on the other without any denial near it. */
export function denialDiffers(claim: readonly Token[], text: readonly Token[]): boolean {
  return contradicts(claim, text) || contradicts(text, claim);
}

/** Content words behind a denial that it surely covers, and those that it may cover. */
const REACH = { sure: 1, possible: 4 };

function contradicts(denier: readonly Token[], other: readonly Token[]): boolean {
  const there = stems(other);
  const excused = denied(other, REACH.possible);
  return [...denied(denier, REACH.sure)].some((word) => there.has(word) && !excused.has(word));
}

function denied(tokens: readonly Token[], size: number): Set<string> {
  const found = new Set<string>();
  let reach = 0;
  let sentence = -1;
  for (const token of tokens) {
    if (token.pause || token.sentence !== sentence) reach = 0;
    sentence = token.sentence;
    if (NEGATIONS.has(token.text)) reach = size;
    else if (token.content && reach > 0) {
      found.add(token.stem);
      reach -= 1;
    }
  }
  return found;
}

function stems(tokens: readonly Token[]): Set<string> {
  return new Set(tokens.map((token) => token.stem));
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
