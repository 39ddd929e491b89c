import { expect, test } from 'vitest';
import { terminalPicture } from './terminal-picture.ts';

test('headings and commands look like what they are; markup is text', () => {
  const svg = terminalPicture('— 1. A scene\n$ curl x | y && z\n\n<b>bold</b> \u001b[31m\n');
  expect(svg).toContain('class="heading">— 1. A scene<');
  expect(svg).toContain('class="command">$ curl x | y &amp;&amp; z<');
  expect(svg).toContain('class="plain">&lt;b&gt;bold&lt;/b&gt; [31m<');
  expect(svg.match(/<text /g)).toHaveLength(3);
});

test('a long line goes on in the next; nothing is lost, and no character is cut in half', () => {
  const svg = terminalPicture(`${'😀'.repeat(150)}end`);
  const shown = [...svg.matchAll(/class="plain">([^<]*)</g)].map((match) => match[1] ?? '');
  expect(shown.map((line) => [...line].length)).toEqual([110, 43]);
  expect(shown.join('')).toBe(`${'😀'.repeat(150)}end`);
});
