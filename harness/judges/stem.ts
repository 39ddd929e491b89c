/** Plural, -ing, -ed, -ly and -er endings: enough for "logs", "logging" and "logged" to be one word. */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  let base = word.replace(/ies$/, 'y').replace(/(ss|sh|ch|x|z)es$/, '$1');
  if (/[^sui]s$/.test(base)) base = base.slice(0, -1);
  for (const ending of ['ing', 'ed', 'ly', 'er']) {
    if (
      base.endsWith(ending) &&
      !base.endsWith('eed') &&
      base.length - ending.length >= 3 &&
      /[aeiouy]/.test(base.slice(0, -ending.length))
    ) {
      base = base.slice(0, -ending.length).replace(/([bdfgmnprt])\1$/, '$1');
      break;
    }
  }
  return base.length > 4 ? base.replace(/e$/, '').replace(/i$/, 'y') : base;
}
