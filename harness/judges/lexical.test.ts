import { expect, test } from 'vitest';
import { splitSentences } from '../../service/sentences.ts';
import { LEXICAL_SETTINGS, lexicalJudge } from './lexical.ts';

const PASSAGE = `The \`bodyLimit\` option sets the largest body the server accepts, 1048576 bytes by default. Larger requests are answered
with status 413. Logging is disabled by default. The handler runs before the validation. Some plugins may add hooks. Retries are not
counted against the limit of Fastify.`;

async function says(claim: string, context = PASSAGE): Promise<boolean | null> {
  return (await lexicalJudge().judge({ claim, context }, new AbortController().signal)).supported;
}

test.each([
  ['word for word', 'Logging is disabled by default.'],
  ['in another order', 'By default, logging is disabled.'],
  ['with other endings and markup', 'Larger requests are **answered** with a status of 413'],
  ['a number with its unit', 'The `bodyLimit` option sets the largest accepted body, 1 MiB by default.'],
  ['an identifier read as words', 'The body limit option sets the largest body the server accepts.'],
  [
    'from two neighbouring sentences',
    'The server accepts a body of at most 1048576 bytes by default; larger requests are answered with status 413.',
  ],
  ['a denial as the passage denies it', 'Retries are not counted against the limit.'],
])('yes: %s', async (_, claim) => {
  expect(await says(claim)).toBe(true);
});

test.each([
  ['about something else', 'Cats sleep most of the day.'],
  ['another number', 'Larger requests are answered with status 500.'],
  ['another unit', 'The largest body the server accepts is 1048576 seconds by default.'],
  ['the denial dropped', 'Retries are counted against the limit.'],
  ['a denial added', 'Logging is not disabled by default.'],
  ['the opposite', 'Logging is enabled by default.'],
  ['turned round', 'The handler runs after the validation.'],
  ['more than is said', 'All plugins must always add hooks.'],
  [
    'a detail made up',
    'The bodyLimit option was introduced by Microsoft engineers working on streaming uploads in Seattle.',
  ],
  ['nothing to look for', 'It is so.'],
  ['an empty passage', 'Logging is disabled by default.', ''],
])('no: %s', async (_, claim, context = PASSAGE) => {
  expect(await says(claim, context)).toBe(false);
});

test('of several sentences the worst counts, and a question before its answer states nothing', async () => {
  expect(await says('Logging is disabled by default. Retries are not counted against the limit.')).toBe(true);
  expect(await says('Logging is disabled by default. Cats sleep most of the day.')).toBe(false);
  expect(await says('Who pays for the pizza on Fridays? Logging is disabled by default.')).toBe(true);
});

test('an identifier with "no" in it denies nothing', async () => {
  const context = 'The agent reads `http_proxy` and `no_proxy` from the environment. Proxies are listed elsewhere.';
  expect(await says('The agent reads `http_proxy` and `no_proxy` from the environment.', context)).toBe(true);
});

test('of sentences that have the same words the one most like the claim decides', async () => {
  const context = 'The cache is not enabled for the server. The cache is enabled for the server in the office.';
  expect(await says('The cache is enabled for the server in the office.', context)).toBe(true);
});

test.each([
  ['a name exchanged', 'In 1897 the chemist Anna Weber isolated the acid.', /anna/],
  ['a number exchanged', 'In 1899 the chemist Felix Hoffmann isolated the acid.', /1899/],
  ['a weekday exchanged', 'The shop is closed on Tuesday.', /another of its kind/],
  ['words that are not there', 'Seagulls invaded the laboratory during winter storms.', /without/],
])('a no says why: %s', async (_, claim, reason) => {
  const context = 'In 1897 the chemist Felix Hoffmann isolated the acid. The shop is closed on Monday.';
  const ruling = await lexicalJudge().judge({ claim, context }, new AbortController().signal);
  expect(ruling.supported).toBe(false);
  expect(ruling.reason).toMatch(reason);
});

test('every sentence of a passage supports itself; a passage about something else supports none', async () => {
  for (const { text } of splitSentences(PASSAGE)) {
    expect(await says(text)).toBe(true);
    expect(await says(text, 'Whales migrate south in autumn and feed on krill.')).toBe(false);
  }
});

test('the fingerprint changes with the rules and is the same otherwise', () => {
  expect(lexicalJudge().info.fingerprint).toBe(lexicalJudge().info.fingerprint);
  const other = lexicalJudge({ ...LEXICAL_SETTINGS, threshold: 0.7 });
  expect(other.info.fingerprint).not.toBe(lexicalJudge().info.fingerprint);
});
