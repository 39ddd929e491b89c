import { expect, test } from 'vitest';
import { occursVerbatim, statesFact } from './facts.ts';

const states = (text: string, ...any: string[]) => statesFact(text, { any });

test.each([
  ['another case', 'Set BodyLimit first.', 'bodylimit'],
  ['Markdown around it', 'Use **`bodyLimit`** for this.', 'bodyLimit'],
  ['curly quotes', 'It says “don’t panic” then.', "don't panic"],
  ['a Unicode minus', 'The default is −1 here.', '-1'],
  ['a non-breaking hyphen', 'Pass --max‑old‑space‑size here.', '--max-old-space-size'],
  ['a no-break space', 'It waits 10\u00a0seconds.', '10 seconds'],
  ['full-width forms', 'Ｐｏｒｔ ８０８０ is used.', 'port 8080'],
  ['a ligature', 'the conﬁg file', 'config file'],
  ['thousands separators', 'At most 1,048,576 of them.', '1048576'],
  ['points as separators', 'At most 1.000.000 of them.', '1000000'],
  ['a k for thousands', 'About 10k requests.', '10000'],
  ['a sharp s', 'an der Straße', 'strasse'],
  ['what is preferred to another', 'It is false rather than true.', 'false'],
  ['a version named so', 'since version 1.10 of it', 'version 1.10'],
  ['a narrow space as separator', 'At most 1\u202f048\u202f576 of them.', '1048576'],
  ['underscores as separator', 'At most 1_048_576 of them.', '1048576'],
  ['an exponent', 'It waits 4e3 ms.', '4000'],
  ['a unit written out', 'It waits 10 seconds.', '10s'],
  ['another unit', 'It waits 10 seconds.', '10000 ms'],
  ['a binary unit', 'The limit is 1 MiB.', '1048576 bytes'],
  ['a binary unit against a bare number', 'The limit is 1MiB.', '1048576'],
  ['a bare number against a unit', 'keepAliveTimeout: 5000', '5 seconds'],
  ['a unit joined by a hyphen', 'A 5-second timeout.', '5 seconds'],
  ['percent', 'About 50% of it.', '50 percent'],
  ['a decimal with zeros', 'The factor is 2.50.', '2.5'],
  ['a number word', 'It takes two arguments.', '2 arguments'],
  ['articles', 'It returns the promise of a body.', 'returns a promise of body'],
  ['a line break inside', 'the keep\nalive timeout', 'keep alive timeout'],
  ['a comma inside', 'fast, safe and small', 'fast safe and small'],
  ['a contraction written out', "It doesn't retry.", 'does not retry'],
  ['cannot', 'It cannot be changed.', 'can not be changed'],
  ['signs alone', 'Compare with !== there.', '!=='],
  ['a version', 'since v5.12.8 of it', '5.12.8'],
  ['Chinese inside a run', '默认超时时间是五秒。', '超时时间'],
  ['Korean with a particle', '서버는 요청을 거부한다', '요청'],
  ['a possessive', "The server's timeout applies.", 'server timeout'],
  ['not only', 'It is not only enabled by default, it is required.', 'enabled by default'],
  ['a denial of something else', 'It does not cache, enabled by default is the retry.', 'enabled by default'],
  ['a denial in the sentence before', 'It does not matter. Enabled by default.', 'enabled by default'],
  ['a denied fact', 'This is not supported on Windows.', 'not supported'],
  ['once denied, once stated', 'It is not fast. In the end it is fast.', 'fast'],
])('states it: %s', (_, text, fact) => {
  expect(states(text, fact)).toBe(true);
});

test.each([
  ['part of a number', 'It waits 15 s.', '5'],
  ['part of a decimal', 'The factor is 0.5 here.', '5'],
  ['another version of two parts', 'It speaks HTTP/1.10 here.', 'HTTP/1.1'],
  ['another version behind a v', 'since v2.10', 'v2.1'],
  ['passed over by rather than', 'It is false rather than true.', 'true'],
  ['passed over by instead of', 'Use agents instead of sockets.', 'sockets'],
  ['part of a version', 'since 5.12.8 of it', '5'],
  ['part of a word', 'the timeouts are', 'timeout'],
  ['part of an identifier', 'keepAliveTimeout', 'timeout'],
  ['another sign', 'The default is -1.', '1'],
  ['another unit', 'It waits 10 minutes.', '10 seconds'],
  ['a bare number for a unit', 'It waits 5 of them.', '5 seconds'],
  ['a decimal unit for a binary one', 'The limit is 1 MB.', '1 MiB'],
  ['percent for a number of milliseconds', '50%', '50 ms'],
  ['a name that ends the same', 'Uses https here.', 'http'],
  ['denied', 'It is not enabled by default.', 'enabled by default'],
  ['denied over small words', 'It cannot be set to true.', 'true'],
  ['denied by a contraction', "It isn't enabled by default.", 'enabled by default'],
  ['denied by no longer', 'It is no longer enabled by default.', 'enabled by default'],
  ['denied by never', 'It is never really enabled by default.', 'enabled by default'],
  ['denied by non-', 'It is non-blocking.', 'blocking'],
  ['denied by without', 'It runs without strict mode.', 'strict mode'],
  ['denied by cannot', 'It cannot be changed.', 'be changed'],
  ['over the end of a sentence', 'It is enabled. By default it waits.', 'enabled by default'],
  ['over two items of a list', '- one\n- two', 'one two'],
  ['in another order', 'default by enabled', 'enabled by default'],
  ['something else', 'Nothing of the kind.', 'bodyLimit'],
  ['nothing', '', 'bodyLimit'],
])('does not state it: %s', (_, text, fact) => {
  expect(states(text, fact)).toBe(false);
});

test('any alternative will do', () => {
  expect(states('The limit is one mebibyte.', '1 MiB', 'one mebibyte')).toBe(true);
  expect(states('The limit is high.', '1 MiB', 'one mebibyte')).toBe(false);
});

test('verbatim is literal but for case, white space and looks', () => {
  expect(occursVerbatim('the keep\n  alive timeout', 'Keep alive')).toBe(true);
  expect(occursVerbatim('the keep-alive timeout', 'keep alive')).toBe(false);
});
