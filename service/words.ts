/** Content words of a text, for matching a claim or a question with passages without a model. Pure. */

export interface Word {
  /** Folded and stemmed, comparable with `===`. */
  stem: string;
  /** Offsets in the text, UTF-16, end exclusive. */
  start: number;
  end: number;
}

/** Words in order, stop words left out. Chinese, Japanese and Korean runs give their character pairs. */
export function contentWords(text: string): Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const token = match[0];
    const start = match.index;
    if (WIDE.test(token)) words.push(...pairs(token, start));
    else {
      const folded = fold(token);
      if (!STOP_WORDS.has(folded)) words.push({ stem: stem(folded), start, end: start + token.length });
      // `bodyLimit`, `keep-alive`, `http.request`: the parts count too, so that prose about them matches.
      for (const part of parts(token)) {
        if (!STOP_WORDS.has(part)) words.push({ stem: stem(part), start, end: start + token.length });
      }
    }
  }
  return words;
}

/** The distinct stems of a text. */
export function stemSet(text: string): Set<string> {
  return new Set(contentWords(text).map((word) => word.stem));
}

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+|\p{N}+(?:[.,]\p{N}+)*(?:\p{L}+)?|[\p{L}_$][\p{L}\p{N}\p{M}_$]*(?:[.'’-][\p{L}\p{N}_$][\p{L}\p{N}\p{M}_$]*)*/gu;

const STOP_WORDS = new Set(
  (
    'a about above after again against all am an and any are as at be because been before being below between both but by ' +
    'can cannot could did do does doing down during each few for from further had has have having he her here hers him his ' +
    'how i if in into is it its itself just let me more most my no nor not of off on once only or other ought our ours out ' +
    'over own same shall she should so some such than that the their theirs them then there these they this those through ' +
    'to too under until up us very was we were what when where which while who whom why will with would you your yours ' +
    "don't doesn't isn't aren't can't won't i'm it's what's there's whats im also via per using use used tell please want " +
    'need way get does happen happens mean possible'
  ).split(' '),
);

function fold(token: string): string {
  return token.normalize('NFKC').toLowerCase().replace(/’/g, "'").replace(/'s$/, '');
}

function parts(token: string): string[] {
  const pieces = token
    .split(/[._$'’-]+|(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
    .map((piece) => fold(piece))
    .filter((piece) => piece.length > 1);
  return pieces.length > 1 ? pieces : [];
}

function pairs(run: string, start: number): Word[] {
  const letters = [...run];
  if (letters.length === 1) return [{ stem: run, start, end: start + run.length }];
  const words: Word[] = [];
  let at = start;
  for (let index = 0; index + 1 < letters.length; index += 1) {
    const pair = `${letters[index]}${letters[index + 1]}`;
    words.push({ stem: pair, start: at, end: at + pair.length });
    at += (letters[index] as string).length;
  }
  return words;
}

/** A light English stemmer: plural, -ing, -ed and -ly only, so that names of options are not mangled. */
function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  let base = word;
  if (base.endsWith('ies') && base.length > 4) base = `${base.slice(0, -3)}y`;
  else if (/(?:ss|sh|ch|x|z)es$/.test(base)) base = base.slice(0, -2);
  else if (base.endsWith('s') && !/(?:ss|us|is)$/.test(base)) base = base.slice(0, -1);
  if (base.endsWith('ing') && /[aeiouy]/.test(base.slice(0, -3)) && base.length > 5) base = undouble(base.slice(0, -3));
  else if (base.endsWith('ed') && base.length > 4 && /[aeiouy]/.test(base.slice(0, -2)))
    base = undouble(base.slice(0, -2));
  else if (base.endsWith('ly') && base.length > 5) base = base.slice(0, -2);
  return base.length > 4 && base.endsWith('e') ? base.slice(0, -1) : base;
}

function undouble(word: string): string {
  return /([bdfgmnprt])\1$/.test(word) ? word.slice(0, -1) : word;
}
