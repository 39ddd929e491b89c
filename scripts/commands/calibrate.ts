/** `askdocs calibrate`: chooses the evidence gate for one index from labelled cases. */
import { styleText } from 'node:util';
import { defineCommand } from 'citty';
import { loadCases } from '../../harness/cases.ts';
import type { Case } from '../../harness/schema.ts';
import { wilson } from '../../harness/stats/wilson.ts';
import { CodedError } from '../../service/contract.ts';
import { embedSettings, openEmbedder } from '../../service/search/embed/open.ts';
import { strengthOf } from '../../service/search/gate.ts';
import { writeGate } from '../../service/search/gate-setting.ts';
import { openStore, type Store } from '../../service/search/store.ts';
import { shown, withToken } from '../../service/search/stores/milvus/address.ts';
import { readEnvironment } from '../environment.ts';
import { createProgress } from '../progress.ts';
import { formatArg, printJson } from '../tables.ts';

/** With fewer of either kind one question moves the rates by more than five points. */
const FEW = 20;

export const calibrateCommand = defineCommand({
  meta: {
    name: 'calibrate',
    description:
      'Choose how much evidence a question needs in this index, from cases that say which questions the documents answer. The choice is kept in the index.',
  },
  args: {
    cases: { type: 'string', description: 'Labelled cases (JSONL)', required: true, valueHint: 'FILE' },
    db: { type: 'string', description: 'The index', default: 'data/docs.db', valueHint: 'FILE' },
    split: {
      type: 'string',
      description: 'Which cases to choose on: dev, test or all',
      default: 'dev',
      valueHint: 'SPLIT',
    },
    'max-wrong-refusals': {
      type: 'string',
      description: 'Largest acceptable share of answerable questions refused',
      default: '0.02',
      valueHint: 'SHARE',
    },
    'dry-run': { type: 'boolean', description: 'Show the curve and change nothing', default: false },
    format: formatArg,
  },
  async run({ args }) {
    const limit = shareOf(args['max-wrong-refusals']);
    const cases = loadCases(args.cases).filter(({ split }) => args.split === 'all' || split === args.split);
    const db = withToken(args.db, readEnvironment().ASKDOCS_SEARCH_TOKEN);
    const { embedder, note } = await openEmbedder(embedSettings(readEnvironment()));
    const store = await openStore(db, { embedder, note });
    const measured = await measure(store, cases).finally(() => store.close());
    const curve = curveOf(measured);
    const chosen = choose(curve, limit);
    const warnings = warningsOf(measured);
    if (!args['dry-run']) await writeGate(db, measured.mode, chosen.threshold);
    if (args.format === 'json') printJson({ mode: measured.mode, chosen, curve, warnings, written: !args['dry-run'] });
    else print({ ...measured, chosen, curve, warnings, written: args['dry-run'] ? undefined : shown(db) });
  },
});

export interface Measured {
  mode: 'lexical' | 'hybrid';
  /** Strength of evidence of each question the documents answer, and of each they do not. */
  answerable: number[];
  /** About something else altogether. */
  foreign: number[];
  /** In the documents' domain, but not answered there: mostly the model's part, for the passages look right. */
  near: number[];
}

export interface Point {
  threshold: number;
  wrongRefusals: Rate;
  foreignAnswered: Rate;
  nearAnswered: Rate;
}

interface Rate {
  share: number;
  low: number;
  high: number;
}

/** Every threshold from 0 to 2 in steps of .05: what it would refuse wrongly, and let through wrongly. */
export function curveOf({ answerable, foreign, near }: Measured): Point[] {
  return Array.from({ length: 31 }, (_, step) => {
    const threshold = Number((step * 0.05).toFixed(2));
    return {
      threshold,
      wrongRefusals: rateOf(answerable, (strength) => strength < threshold),
      foreignAnswered: rateOf(foreign, (strength) => strength >= threshold),
      nearAnswered: rateOf(near, (strength) => strength >= threshold),
    };
  });
}

/** The highest threshold that refuses no more answerable questions than allowed. */
export function choose(curve: Point[], limit: number): Point {
  const [first] = curve;
  if (first === undefined) throw new CodedError('internal', 'The curve has no points.');
  return curve.filter(({ wrongRefusals }) => wrongRefusals.share <= limit).at(-1) ?? first;
}

async function measure(store: Store, cases: Case[]): Promise<Measured> {
  const progress = createProgress();
  const measured: Measured = {
    mode: (await store.stats()).mode === 'hybrid' ? 'hybrid' : 'lexical',
    answerable: [],
    foreign: [],
    near: [],
  };
  for (const [at, { question, kind }] of cases.entries()) {
    progress.update(at, cases.length, 'questions');
    const { evidence } = await store.search({ query: question, k: 10, gate: false });
    // A question in a script the embedder does not know has another gate; it is no measure of this one.
    if (measured.mode === 'hybrid' && evidence.cosine === null) continue;
    measured[kind === 'off_topic' ? 'foreign' : kind === 'unanswerable' ? 'near' : 'answerable'].push(
      strengthOf(evidence),
    );
  }
  progress.end();
  if (measured.answerable.length === 0 || measured.foreign.length + measured.near.length === 0) {
    throw new CodedError(
      'bad_input',
      'The cases must hold questions the documents answer (factual, multi_source) and questions they do not (off_topic, unanswerable).',
    );
  }
  return measured;
}

function warningsOf({ answerable, foreign, near }: Measured): string[] {
  const few = ([list, what]: [number[], string]) =>
    list.length < FEW
      ? [`Only ${list.length} ${what} questions: with fewer than ${FEW} the rates are not reliable.`]
      : [];
  return [...few([answerable, 'answerable']), ...few([[...foreign, ...near], 'unanswerable'])];
}

function rateOf(list: number[], is: (strength: number) => boolean): Rate {
  if (list.length === 0) return { share: 0, low: 0, high: 1 };
  const count = list.filter(is).length;
  const { low, high } = wilson(count, list.length);
  return { share: count / list.length, low, high };
}

function print(
  result: Measured & { chosen: Point; curve: Point[]; warnings: string[]; written: string | undefined },
): void {
  const { mode, answerable, foreign, near, chosen, curve, warnings, written } = result;
  console.log(
    `${answerable.length} answerable, ${foreign.length} off-topic, ${near.length} unanswerable questions; ${mode} evidence.`,
  );
  console.log(row('threshold', 'wrongly refused', 'off-topic let through', 'unanswerable let through'));
  for (const point of curve) {
    const rates = [point.wrongRefusals, point.foreignAnswered, point.nearAnswered].map(percent);
    const line = row(point.threshold.toFixed(2), ...rates);
    console.log(point === chosen ? styleText('bold', `${line} <- chosen`) : line);
  }
  for (const warning of warnings) console.error(`Warning: ${warning}`);
  console.log(
    written === undefined
      ? 'Nothing was changed.'
      : `Written into ${written}; askdocs index --rebuild returns to the default.`,
  );
}

function row(threshold: string, ...cells: string[]): string {
  return threshold.padEnd(11) + cells.map((cell) => cell.padEnd(25)).join('');
}

function percent({ share, low, high }: Rate): string {
  return `${(100 * share).toFixed(0).padStart(3)}% (${(100 * low).toFixed(0)} to ${(100 * high).toFixed(0)}%)`;
}

function shareOf(given: string): number {
  const share = Number(given);
  if (given.trim() === '' || !(share >= 0 && share <= 1)) {
    throw new CodedError('bad_input', `--max-wrong-refusals takes a share from 0 to 1, not "${given}".`);
  }
  return share;
}
