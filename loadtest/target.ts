/** What stands behind the service in a load test: a real llama.cpp server, or the stand-in. */
import { CodedError } from '../service/contract.ts';
import { describeLlama } from './llama.ts';
import { probeRates } from './probe.ts';
import { ANSWER_TOKENS, RATES } from './stand-in/server.ts';
import type { Target } from './sweep.ts';

export interface OpenTarget extends Target {
  kind: 'stand-in' | 'llama.cpp';
  model: string;
  build: string;
  context: number | null;
}

export interface TargetOptions {
  standIn: boolean;
  url: string;
  /** Of the stand-in. */
  slots: number;
  onProgress: (done: number, total: number) => void;
}

const CONTEXT = 8192;

export async function openTarget({ standIn, url, slots, onProgress }: TargetOptions): Promise<OpenTarget> {
  if (standIn) {
    return {
      kind: 'stand-in',
      root: undefined,
      slots,
      rates: RATES,
      standIn: { slots, context: CONTEXT },
      model: `answers of ${ANSWER_TOKENS} tokens on average`,
      build: '',
      context: CONTEXT,
    };
  }
  const root = rootOf(url);
  const about = await describeLlama(root);
  const rates = await probeRates(root, { slots: about.slots, onProgress });
  return { kind: 'llama.cpp', root, standIn: {}, rates, ...about };
}

/** `http://host:8081/v1/` and `http://host:8081` are the same server. */
export function rootOf(url: string): string {
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new CodedError('bad_input', `--llm takes an http address, such as http://127.0.0.1:8081, not "${url}".`);
  return url.replace(/\/+$/, '').replace(/\/v1$/, '');
}
