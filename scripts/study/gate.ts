/** What the evidence gate refuses wrongly, and what it lets through: each set's own questions, and the questions of the others. */
import { loadCases } from '../../harness/cases.ts';
import { wilson } from '../../harness/stats/wilson.ts';
import type { Embedder } from '../../service/search/embed/embedder.ts';
import { DEFAULT_MIN_COVERAGE, DEFAULT_MIN_SUM, strengthOf } from '../../service/search/gate.ts';
import { openStore } from '../../service/search/store.ts';
import { createProgress } from '../progress.ts';
import type { StudySet } from './sets.ts';

/** Questions of each other set that are asked of a set. */
const FOREIGN = 60;
const OWN = 300;

interface Strengths {
  name: string;
  mode: 'lexical' | 'hybrid';
  own: number[];
  foreign: number[];
}

export async function studyGate(
  sets: readonly StudySet[],
  model: Embedder | null,
  { cases, split }: { cases: string; split: string },
): Promise<Strengths[]> {
  const offTopic = loadCases(cases).filter((one) => one.kind === 'off_topic' && one.split === split);
  const found: Strengths[] = [];
  for (const mode of model === null ? (['lexical'] as const) : (['hybrid', 'lexical'] as const)) {
    for (const set of sets) {
      const others = sets.filter((other) => other !== set).flatMap((other) => spread(other.questions, FOREIGN));
      const foreign = [...others, ...(set.folder === undefined ? offTopic : [])].map((one) =>
        'text' in one ? one.text : one.question,
      );
      const own = spread(set.questions, OWN).map(({ text }) => text);
      const ask = await asking(set, model, mode);
      found.push({ name: set.name, mode, own: await ask(own), foreign: await ask(foreign) });
    }
  }
  return found;
}

export function printGate(found: readonly Strengths[]): void {
  for (const mode of ['hybrid', 'lexical'] as const) {
    const rows = found.filter((row) => row.mode === mode);
    if (rows.length === 0) continue;
    const least = mode === 'hybrid' ? DEFAULT_MIN_SUM : DEFAULT_MIN_COVERAGE;
    const others = [-0.15, -0.1, -0.05, 0.05, 0.1].map((step) => Number((least + step).toFixed(2)));
    const shown = [least, ...others];
    console.log(`${mode}: own questions wrongly refused / foreign questions let through`);
    console.log(`| | ${shown.map((at) => `from ${at}${at === least ? ' (default)' : ''}`).join(' | ')} |`);
    console.log(`|---|${shown.map(() => '---|').join('')}`);
    for (const { name, own, foreign } of rows) {
      const cells = shown.map((at) => {
        const full = at === least;
        return `${rate(own, (one) => one < at, full)} / ${rate(foreign, (one) => one >= at, full)}`;
      });
      console.log(`| ${name} (${own.length}, ${foreign.length} foreign) | ${cells.join(' | ')} |`);
    }
  }
}

async function asking(set: StudySet, model: Embedder | null, mode: 'lexical' | 'hybrid') {
  const store = await openStore(set.db, { embedder: mode === 'hybrid' ? model : null });
  return async (questions: string[]): Promise<number[]> => {
    const progress = createProgress();
    const strengths: number[] = [];
    for (const [at, query] of questions.entries()) {
      const { evidence } = await store.search({ query, k: 10, gate: false });
      // A question in a script the embedder does not know has the gate of words.
      if (mode === 'lexical' || evidence.cosine !== null) strengths.push(strengthOf(evidence));
      progress.update(at, questions.length, `${set.name}, ${mode}`);
    }
    progress.end();
    return strengths;
  };
}

/** Evenly out of all of them. */
function spread<T>(list: readonly T[], count: number): T[] {
  const step = Math.max(1, list.length / count);
  return Array.from({ length: Math.min(count, list.length) }, (_, at) => list[Math.floor(at * step)]).flatMap((one) =>
    one === undefined ? [] : [one],
  );
}

function rate(list: readonly number[], is: (strength: number) => boolean, full: boolean): string {
  const count = list.filter(is).length;
  if (list.length === 0) return 'none';
  const { low, high } = wilson(count, list.length);
  const percent = (share: number) => `${(100 * share).toFixed(full ? 1 : 0)}`;
  return `${percent(count / list.length)}%${full ? ` (${percent(low)} to ${percent(high)})` : ''}`;
}
