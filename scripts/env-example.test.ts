import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { loadConfig, PREFIX, SETTINGS } from '../service/config.ts';

const text = readFileSync(new URL('../.env.example', import.meta.url), 'utf8');
const shown = parseEnv(text.replace(/^#(?=ASKDOCS_)/gm, '')) as Record<string, string>;

test('.env.example names every setting, and no other', () => {
  expect(Object.keys(shown).sort()).toEqual(
    Object.keys(SETTINGS)
      .map((name) => PREFIX + name)
      .sort(),
  );
});

test('what it shows are the defaults', () => {
  expect(loadConfig(shown)).toEqual(loadConfig({}));
});
