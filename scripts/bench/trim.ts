/** The experiment of trimming: a passage cut down to the sentences around what matches the question. */
import { splitSentences } from '../../service/sentences.ts';
import { contentWords, stemSet } from '../../service/words.ts';

/** Keeps the sentences that hold a word of the question and their neighbours; a passage without any stays whole. */
export function trimPassage(question: string, text: string): string {
  const wanted = new Set(contentWords(question).map((word) => word.stem));
  const sentences = splitSentences(text);
  const hit = sentences.map((sentence) => [...stemSet(sentence.text)].some((stem) => wanted.has(stem)));
  if (!hit.includes(true)) return text;
  return sentences
    .filter((_, i) => hit[i] || hit[i - 1] || hit[i + 1])
    .map((sentence) => sentence.text)
    .join('\n');
}
