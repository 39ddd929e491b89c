/**
 * Our own tokens as a text that every analyzer of the engine takes apart into just these tokens. The analyzers of Milvus
 * and Milvus Lite differ on everything but runs of ASCII letters and digits, so what has other characters is spelt in
 * hexadecimal. Pure.
 */
import { withoutMarkup } from '../../text/markup.ts';
import { tokenize } from '../../text/tokens.ts';

/** Longest text of a field, in bytes; ASCII only, so characters are bytes. */
const MAX_TEXT = 65_535;
const MARK = '0u';

export function spell(tokens: readonly string[]): string {
  return clipped(tokens.map(spelt).join(' '));
}

/** What a passage is found by. Words of a heading count twice, as they do in SQLite. */
export function wordsOf(passage: { title: string; heading: readonly string[]; text: string }): string[] {
  const heading = tokenize(passage.heading.join(' '));
  return [...tokenize(passage.title), ...heading, ...heading, ...tokenize(withoutMarkup(passage.text))];
}

function spelt(token: string): string {
  return /^[a-z0-9]+$/.test(token) && !token.startsWith(MARK)
    ? token
    : `${MARK}${Buffer.from(token, 'utf8').toString('hex')}`;
}

/** At a space: a piece of a token would be another one. */
function clipped(text: string): string {
  return text.length <= MAX_TEXT ? text : text.slice(0, text.lastIndexOf(' ', MAX_TEXT));
}
