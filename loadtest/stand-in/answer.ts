/** What the stand-in says: sentences of the prompt's passages with citations, the same for the same prompt. */
import { createHash } from 'node:crypto';

/** Tokens with their text; their number is drawn from the prompt, within a quarter of `mean`. */
export function answerTokens(prompt: string, mean: number): string[] {
  const wanted = Math.max(1, Math.round(mean * (0.75 + 0.5 * drawn(prompt))));
  const words = prompt.slice(Math.max(0, prompt.indexOf('<passage'))).match(/[\p{L}\p{N}]{3,12}/gu) ?? ['nothing'];
  const tokens: string[] = [];
  for (let i = 0; tokens.length < wanted; i += 1) {
    const last = tokens.length === wanted - 1;
    tokens.push(last || i % 12 === 11 ? ` [${1 + (i % 3)}].` : ` ${words[i % words.length]}`);
  }
  return tokens;
}

/** 0..1, the same for the same text. */
function drawn(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}
