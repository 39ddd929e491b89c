import { expect, test } from 'vitest';
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

test('the fingerprint changes with the rules and is the same otherwise', () => {
  expect(lexicalJudge().info.fingerprint).toBe(lexicalJudge().info.fingerprint);
  const other = lexicalJudge({ ...LEXICAL_SETTINGS, threshold: 0.7 });
  expect(other.info.fingerprint).not.toBe(lexicalJudge().info.fingerprint);
});
