/**
 * What llama.cpp remembers of prompts. Each slot holds the text of its last request; a new one goes to the slot with
 * the longest common prefix, else to the one idle longest, and what that slot held is moved to a store in memory, from
 * which a later prompt takes the longest prefix. A token is four characters here.
 */
const CHARS = 4;
/** `--slot-prompt-similarity`: the least share of the prompt that a slot must hold to be chosen for it. */
const SIMILAR = 0.1;
/**
 * Tokens kept beside the slots. `--cache-ram` is 8 GiB unless told, and a token of Llama 3.2 3B takes 112 KiB: 28 layers
 * of keys and values, 8 heads of 128 numbers, 2 bytes each.
 */
const STORED_TOKENS = Math.floor((8 * 2 ** 30) / (28 * 2 * 8 * 128 * 2));

export function promptTokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / CHARS));
}

export interface PromptCache {
  /** Chooses one of the free slots for this prompt, and says how many of its tokens need not be evaluated. */
  take(prompt: string, free: readonly number[], cachePrompt: boolean): { slot: number; cached: number };
  /** What the slot holds now. */
  keep(slot: number, text: string): void;
}

export function createPromptCache(slots: number): PromptCache {
  const held = Array.from({ length: slots }, () => '');
  const lastUsed = Array.from({ length: slots }, () => 0);
  const store: string[] = [];
  let uses = 0;
  const choose = (prompt: string, free: readonly number[]): number => {
    const shared = free.map((slot) => commonPrefix(held[slot] ?? '', prompt));
    const best = Math.max(...shared);
    if (best > SIMILAR * prompt.length) return free[shared.indexOf(best)] as number;
    return free.reduce((oldest, slot) => ((lastUsed[slot] ?? 0) < (lastUsed[oldest] ?? 0) ? slot : oldest));
  };
  return {
    take(prompt, free, cachePrompt) {
      const slot = choose(prompt, free);
      lastUsed[slot] = ++uses;
      const old = held[slot] ?? '';
      const shared = commonPrefix(old, prompt);
      const stored = bestOf(store, prompt);
      // Less than half of it is of use: kept for later rather than overwritten.
      if (old !== '' && shared < old.length / 2) remember(store, old);
      const reused = cachePrompt ? Math.max(shared, stored) : 0;
      // The last token is always evaluated: its result is the first token of the answer.
      return { slot, cached: Math.min(Math.floor(reused / CHARS), promptTokens(prompt) - 1) };
    },
    keep(slot, text) {
      held[slot] = text;
    },
  };
}

function remember(store: string[], text: string): void {
  if (store.includes(text)) return;
  store.push(text);
  // The oldest go first, as in llama.cpp; one that is too long by itself is kept.
  while (store.length > 1 && tokensOf(store) > STORED_TOKENS) store.shift();
}

function tokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + promptTokens(text), 0);
}

function bestOf(store: readonly string[], prompt: string): number {
  return store.reduce((best, text) => Math.max(best, commonPrefix(text, prompt)), 0);
}

function commonPrefix(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let i = 0;
  while (i < end && a.charCodeAt(i) === b.charCodeAt(i)) i += 1;
  return i;
}
