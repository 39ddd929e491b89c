/** Askers who ask again and again, and what became of each question. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Outcome {
  /** `cut`: the stream ended without `done` or `error`, or never began. */
  end: 'done' | 'error' | 'refused' | 'cut';
  status: number;
  /** Addresses of the replicas that were asked; the last one answered. */
  servedBy: string[];
  from: number;
  to: number;
  /** What to show when it ended badly. */
  why: string;
}

export interface Load {
  outcomes: Outcome[];
  /** Lets the answers in flight end. */
  stop(): Promise<void>;
}

/** Clears the gate of an index of this project's own documents. */
const QUESTION = 'Is the slot free when a client leaves in the middle of an answer?';
/** Shorter than Retry-After would have it, so that the askers keep the replicas busy. */
const REFUSED_PAUSE_MS = 100;

export function startLoad(url: string, askers: number): Load {
  const outcomes: Outcome[] = [];
  let going = true;
  const asker = async () => {
    while (going) {
      const outcome = await ask(url);
      outcomes.push(outcome);
      if (outcome.end !== 'done') await sleep(REFUSED_PAUSE_MS);
    }
  };
  const all = Promise.all(Array.from({ length: askers }, asker));
  return {
    outcomes,
    async stop() {
      going = false;
      await all;
    },
  };
}

export async function ask(url: string): Promise<Outcome> {
  const from = performance.now();
  const seen: Pick<Outcome, 'status' | 'servedBy'> = { status: 0, servedBy: [] };
  const end = (how: Outcome['end'], why = ''): Outcome => ({ ...seen, end: how, why, from, to: performance.now() });
  try {
    const response = await fetch(`${url}/ask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: QUESTION }),
    });
    seen.status = response.status;
    seen.servedBy = (response.headers.get('x-served-by') ?? '').split(/, | : /).filter(Boolean);
    const text = await read(response);
    if (response.status === 503) return end('refused');
    if (response.status !== 200) return end('error', text.slice(0, 200));
    const [last] = [...text.matchAll(/^event: (done|error)\ndata: (.*)$/gm)].slice(-1);
    if (last === undefined) return end('cut', text.slice(-100));
    return last[1] === 'done' ? end('done') : end('error', (last[2] ?? '').slice(0, 300));
  } catch (error) {
    return end('cut', String(error));
  }
}

/** All that came, also of a stream that was cut. */
async function read(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk as Uint8Array, { stream: true });
  } catch {
    // Cut: what came decides.
  }
  return text;
}
